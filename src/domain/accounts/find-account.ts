import { asc, eq } from 'drizzle-orm';
import { type AccountContext, actingFor, type Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { type Account, accounts } from './table.ts';

/** For operators and people who signed in; callers of the API come with their account. Throws `not_found`. */
export async function actForAccount(ctx: Context, accountId: string): Promise<AccountContext> {
  const [account] = await ctx.db.select().from(accounts).where(eq(accounts.id, accountId));
  if (!account) throw notFound();
  return actingFor(ctx, account);
}

/** Every account of the service, oldest first; for its operator. */
export function listAccounts(ctx: Context): Promise<Account[]> {
  return ctx.db.select().from(accounts).orderBy(asc(accounts.id));
}
