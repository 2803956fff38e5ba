import { asc, eq, inArray } from 'drizzle-orm';
import { type AccountContext, actingFor, type Context, inAccount, inDatabase } from '../context.ts';
import { inEachDatabase } from '../databases/list-databases.ts';
import { notFound } from '../errors.ts';
import { placeOfAccount } from '../shard-map.ts';
import { type Account, accounts } from './table.ts';

/** For operators and people who signed in; callers of the API come with their account. Throws `not_found`. */
export async function actForAccount(ctx: Context, accountId: string): Promise<AccountContext> {
  const home = inAccount(ctx, accountId);
  const [account] = await home.db.select().from(accounts).where(eq(accounts.id, accountId));
  if (!account) throw notFound();
  return actingFor(home, account);
}

/** Accounts by their identifiers, wherever they live. One round trip for each of their databases, side by side. */
export async function findAccounts(ctx: Context, ids: string[]): Promise<Map<string, Account>> {
  const places = Map.groupBy(ids, (id) => placeOfAccount(ctx.env, id));
  const found = await Promise.all(
    [...places].map(([place, some]) =>
      place === null ? [] : inDatabase(ctx, place).db.select().from(accounts).where(inArray(accounts.id, some)),
    ),
  );
  return new Map(found.flat().map((account) => [account.id, account]));
}

/** An account, and the name of the database in which it lives. */
export type ListedAccount = Account & { database: string };

/** Every account of the service, oldest first; for its operator. */
export async function listAccounts(ctx: Context): Promise<ListedAccount[]> {
  const lists = await inEachDatabase(ctx, async ({ db }, { name }) => {
    const list = await db.select().from(accounts).orderBy(asc(accounts.id));
    return list.map((account) => ({ ...account, database: name }));
  });
  return lists.flat().sort((a, b) => (a.id < b.id ? -1 : 1));
}
