import { asc, eq, inArray, isNull } from 'drizzle-orm';
import { type AccountContext, actingFor, type Context, inAccount, inDatabase, refuseCopy } from '../context.ts';
import { byMap } from '../databases/follow-moves.ts';
import { forEachDatabase } from '../databases/list-databases.ts';
import { notFound } from '../errors.ts';
import { placeOfAccount } from '../shard-map.ts';
import { type Account, accounts } from './table.ts';

/**
 * Returns the context of an account for operators and signed-in users; API callers come with their account. Throws
 * `not_found`.
 */
export async function actForAccount(ctx: Context, accountId: string): Promise<AccountContext> {
  const acting = await byMap(ctx, async () => {
    const home = inAccount(ctx, accountId);
    const [account] = await home.db.select().from(accounts).where(eq(accounts.id, accountId));
    return account && actingFor(home, account);
  });
  if (!acting) throw notFound();
  return acting;
}

/** Returns accounts by identifier, wherever they live. One round trip per database, in parallel. */
export async function findAccounts(ctx: Context, ids: string[]): Promise<Map<string, Account>> {
  if (ids.length === 0) return new Map();
  return byMap(ctx, async () => {
    const places = Map.groupBy(ids, (id) => placeOfAccount(ctx.env, id));
    const found = await Promise.all(
      [...places].map(async ([place, some]) => {
        if (place === null) return [];
        const there = inDatabase(ctx, place);
        const list = await there.db.select().from(accounts).where(inArray(accounts.id, some));
        for (const account of list) refuseCopy(there, account);
        return list;
      }),
    );
    return new Map(found.flat().map((account) => [account.id, account]));
  });
}

/** An account and the name of its database. */
export type ListedAccount = Account & { database: string };

/** Returns all accounts of the service, oldest first; for its operator. */
export async function listAccounts(ctx: Context): Promise<ListedAccount[]> {
  const lists = await forEachDatabase(ctx, async ({ db }, { name }) => {
    const list = await db.select().from(accounts).where(isNull(accounts.livesIn)).orderBy(asc(accounts.id));
    return list.map((account) => ({ ...account, database: name }));
  });
  return lists.flat().sort((a, b) => (a.id < b.id ? -1 : 1));
}
