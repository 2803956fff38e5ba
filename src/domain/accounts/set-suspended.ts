import { eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm';
import { recordAction } from '../audit/record-action.ts';
import type { Context } from '../context.ts';
import { inEachDatabase } from '../databases/list-databases.ts';
import { DIRECTORY } from '../shard-map.ts';
import { actForAccount } from './find-account.ts';
import { accounts } from './table.ts';

/**
 * Notes that an account is suspended or no longer so, on it and all below it: in one batch where it lives, then in the
 * databases to which sub-customers were moved. Whoever repeats it, does the rest. Throws not found.
 */
export async function setSuspended(ctx: Context, accountId: string, isSuspended: boolean): Promise<void> {
  const acting = await actForAccount(ctx, accountId);
  const { account, db } = acting;
  const action = isSuspended ? 'account.suspend' : 'account.resume';
  const above = (await suspendedAnywhere(ctx)).filter((id) => id !== account.id && account.ancestorIds.includes(id));
  await db.batch([
    db
      .update(accounts)
      .set({ suspendedAt: isSuspended ? sql`coalesce(${accounts.suspendedAt}, ${Date.now()})` : null })
      .where(eq(accounts.id, account.id)),
    recordAction(acting, { action, target: { type: 'account', id: account.id, name: account.name } }),
    db
      .update(accounts)
      .set({ isSuspended: standsSuspended(above) })
      .where(inArray(accounts.id, treeOf(account.id))),
  ]);
  const suspended = await suspendedAnywhere(ctx);
  await inEachDatabase(ctx, async (there, { name }) => {
    if (name === (acting.database ?? DIRECTORY)) return;
    await there.db
      .update(accounts)
      .set({ isSuspended: standsSuspended(suspended) })
      .where(isBelow(account.id));
  });
}

/** Accounts that were suspended by themselves, in whatever database. They are few, and an index has them. */
async function suspendedAnywhere(ctx: Context): Promise<string[]> {
  const lists = await inEachDatabase(ctx, ({ db }) =>
    db
      .select({ id: accounts.id })
      .from(accounts)
      .where(sql`${eq(accounts.isSuspended, true)} and ${isNotNull(accounts.suspendedAt)}`),
  );
  return lists.flat().map(({ id }) => id);
}

/** SQL for a query of an account and all below it that live with it. */
export function treeOf(accountId: string): SQL {
  return sql`(with recursive tree(id) as (
    select ${accountId} union all select below.id from tree join ${accounts} as below on below.parent_account_id = tree.id)
    select id from tree)`;
}

/** SQL that holds for accounts below one, wherever those between them live. Reads all accounts that are below any. */
export function isBelow(accountId: string): SQL {
  return sql`${accounts.parentAccountId} is not null
    and exists (select 1 from json_each(${accounts.ancestorIds}) as line where line.value = ${accountId})`;
}

/** SQL for a list of the accounts below one that live in the context's database, and not with it. */
export async function listBelow({ db }: Context, accountId: string): Promise<SQL> {
  const below = await db.select({ id: accounts.id }).from(accounts).where(isBelow(accountId));
  return sql`(select value from json_each(${JSON.stringify(below.map(({ id }) => id))}))`;
}

/** `others`: accounts in other databases that are suspended. */
const standsSuspended = (others: string[]) => sql`exists (
  select 1 from json_each(json_insert(${accounts.ancestorIds}, '$[#]', ${accounts.id})) as line
  left join ${accounts} as above on above.id = line.value
  where above.suspended_at is not null or line.value in (select value from json_each(${JSON.stringify(others)})))`;
