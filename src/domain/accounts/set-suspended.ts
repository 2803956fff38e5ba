import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import { recordAction } from '../audit/record-action.ts';
import type { Context } from '../context.ts';
import { actForAccount } from './find-account.ts';
import { accounts } from './table.ts';

/** Notes that an account is suspended or no longer so, on it and all below it. Throws not found. */
export async function setSuspended(ctx: Context, accountId: string, isSuspended: boolean): Promise<void> {
  const acting = await actForAccount(ctx, accountId);
  const { account } = acting;
  const action = isSuspended ? 'account.suspend' : 'account.resume';
  await ctx.db.batch([
    ctx.db
      .update(accounts)
      .set({ suspendedAt: isSuspended ? sql`coalesce(${accounts.suspendedAt}, ${Date.now()})` : null })
      .where(eq(accounts.id, account.id)),
    recordAction(acting, { action, target: { type: 'account', id: account.id, name: account.name } }),
    ctx.db
      .update(accounts)
      .set({ isSuspended: STANDS_SUSPENDED })
      .where(inArray(accounts.id, treeOf(account.id))),
  ]);
}

/** SQL for a query of an account and all below it. */
export function treeOf(accountId: string): SQL {
  return sql`(with recursive tree(id) as (
    select ${accountId} union all select below.id from tree join ${accounts} as below on below.parent_account_id = tree.id)
    select id from tree)`;
}

const STANDS_SUSPENDED = sql`exists (
  select 1 from json_each(json_insert(${accounts.ancestorIds}, '$[#]', ${accounts.id})) as line
  cross join ${accounts} as above on above.id = line.value where above.suspended_at is not null)`;
