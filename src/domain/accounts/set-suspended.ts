import { eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { isBelow, treeOf } from '../account-tree.ts';
import { recordAction } from '../audit/record-action.ts';
import type { Context } from '../context.ts';
import { forEachDatabase } from '../databases/list-databases.ts';
import { DIRECTORY } from '../shard-map.ts';
import { actForAccount } from './find-account.ts';
import { accounts } from './table.ts';

/**
 * Marks an account and all below it as suspended or resumed: in one batch where it lives, then in the databases to
 * which sub-customers were moved. A retry does the rest. Throws not found.
 */
export async function setSuspended(ctx: Context, accountId: string, isSuspended: boolean): Promise<void> {
  const acting = await actForAccount(ctx, accountId);
  const { account, db } = acting;
  const action = isSuspended ? 'account.suspend' : 'account.resume';
  const above = (await listSuspended(ctx)).filter((id) => id !== account.id && account.ancestorIds.includes(id));
  await db.batch([
    db
      .update(accounts)
      .set({ suspendedAt: isSuspended ? sql`coalesce(${accounts.suspendedAt}, ${Date.now()})` : null })
      .where(eq(accounts.id, account.id)),
    recordAction(acting, { action, target: { type: 'account', id: account.id, name: account.name } }),
    db
      .update(accounts)
      .set({ isSuspended: isInSuspendedTree(above) })
      .where(inArray(accounts.id, treeOf(account.id))),
  ]);
  const suspended = await listSuspended(ctx);
  await forEachDatabase(ctx, async (there, { name }) => {
    if (name === (acting.database ?? DIRECTORY)) return;
    await there.db
      .update(accounts)
      .set({ isSuspended: isInSuspendedTree(suspended) })
      .where(isBelow(account.id));
  });
}

/** Returns the accounts in any database that were suspended themselves. They are few, and an index lists them. */
async function listSuspended(ctx: Context): Promise<string[]> {
  const lists = await forEachDatabase(ctx, ({ db }) =>
    db
      .select({ id: accounts.id })
      .from(accounts)
      .where(
        sql`${eq(accounts.isSuspended, true)} and ${isNotNull(accounts.suspendedAt)} and ${isNull(accounts.livesIn)}`,
      ),
  );
  return lists.flat().map(({ id }) => id);
}

/** `others`: suspended accounts in other databases. */
const isInSuspendedTree = (others: string[]) => sql`exists (
  select 1 from json_each(json_insert(${accounts.ancestorIds}, '$[#]', ${accounts.id})) as line
  left join ${accounts} as above on above.id = line.value
  where above.suspended_at is not null or line.value in (select value from json_each(${JSON.stringify(others)})))`;
