import { asc, eq, type SQL } from 'drizzle-orm';
import { findAccounts } from '../accounts/find-account.ts';
import { accounts } from '../accounts/table.ts';
import { type Context, isHere } from '../context.ts';
import { memberships, signInTokens } from './table.ts';

/** Builds the query of the accounts that a sign-in link leads to, oldest membership first. */
export function linkedAccountsQuery({ db }: Pick<Context, 'db'>, isLink: SQL | undefined) {
  return db
    .select({ accountId: memberships.accountId, name: accounts.name })
    .from(signInTokens)
    .innerJoin(memberships, eq(memberships.userId, signInTokens.userId))
    .leftJoin(accounts, eq(accounts.id, memberships.accountId))
    .where(isLink)
    .orderBy(asc(memberships.createdAt), asc(memberships.accountId));
}

/** Returns the names of accounts that `linkedAccountsQuery` found. One round trip for each other database. */
export async function namesOfAccounts(
  ctx: Context,
  joined: { accountId: string; name: string | null }[],
): Promise<string[]> {
  const elsewhere = joined.flatMap(({ accountId }) => (isHere(ctx, accountId) ? [] : accountId));
  const found = await findAccounts(ctx, elsewhere);
  return joined.flatMap(({ accountId, name }) => found.get(accountId)?.name ?? name ?? []);
}
