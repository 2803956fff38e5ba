import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { rawStatement } from '../../platform/raw-statement.ts';
import { isBelow, treeOf } from '../account-tree.ts';
import { accountDeletions, accounts } from '../accounts/table.ts';
import { ALWAYS, recordAction } from '../audit/record-action.ts';
import type { AccountContext, Context } from '../context.ts';
import { forEachDatabase } from '../databases/list-databases.ts';
import { activePassCounts, passes } from '../passes/table.ts';
import { templateDeletions, templates } from '../templates/table.ts';
import { accountQuotas, type Quota } from './table.ts';
import { INTO_QUOTAS, lineageOf, QUOTA_DEFAULTS } from './use.ts';

/** Quotas that an operator sets; null removes a quota, even one with a default. */
export type QuotaSettings = Partial<Record<Quota, number | null>>;

/**
 * Sets quotas of the account. The same batch counts the use so far, by the account and all below it. That reads all
 * their templates, which is fine for an operator's command. If sub-customers live in another database, the quota is
 * stored and counted there, too.
 */
export async function setQuotas(ctx: AccountContext, settings: QuotaSettings): Promise<void> {
  const statementsIn = (home: AccountContext) =>
    Object.entries(settings).map(([quota, max]) => setQuota(home, quota as Quota, max));
  const [first, ...others] = statementsIn(ctx);
  const changes = Object.entries(settings).map(([field, max]) => ({ field, new: max }));
  const target = { type: 'account', id: ctx.account.id, name: ctx.account.name };
  const entry = recordAction(ctx, { action: 'account.set_quotas', target, changes }, ALWAYS);
  if (!first) return;
  await ctx.db.batch([first, ...others, entry]);
  await forEachDatabase(ctx, async (there) => {
    if (there.db === ctx.db || !(await hasBelow(there))) return;
    await there.db.batch(statementsIn(there) as [BatchItem<'sqlite'>]);
  });
}

async function hasBelow({ db, account }: AccountContext): Promise<boolean> {
  const below = await db.select({ id: accounts.id }).from(accounts).where(isBelow(account.id)).limit(1);
  return below.length > 0;
}

/** Builds the statement that sets one quota. Owners may be notified of its use again. */
function setQuota(ctx: AccountContext, quota: Quota, max: number | null): BatchItem<'sqlite'> {
  const accountId = ctx.account.id;
  if (max === null && !(quota in QUOTA_DEFAULTS)) {
    return ctx.db
      .delete(accountQuotas)
      .where(and(eq(accountQuotas.accountId, accountId), eq(accountQuotas.quota, quota)));
  }
  const now = Date.now();
  const period = quota === 'messages' || quota === 'requests' ? sql`${-now}` : sql`null`;
  return rawStatement(
    ctx.db,
    sql`${INTO_QUOTAS}
      select ${accountId}, ${quota}, ${max}, ${USED[quota](accountId)}, ${period}, 0, null where true
      on conflict (account_id, quota) do update set max = excluded.max, told_percent = 0, tell_at = null`,
  );
}

/** Builds the statement that gives a new account, which has used nothing, a quota if `condition` holds. */
export function firstQuota(ctx: Context, accountId: string, quota: Quota, max: number, condition: SQL) {
  return rawStatement(
    ctx.db,
    sql`${INTO_QUOTAS}
      select ${accountId}, ${quota}, ${max}, 0, null, 0, null where ${condition}`,
  );
}

function subCustomersOf(accountId: string | SQL): SQL {
  return sql`(select count(*) - 1 from ${treeOf(accountId)})`;
}

/** Returns SQL for the deleted accounts below one: their remaining passes count until they are gone. */
function deletedBelow(accountId: string): SQL {
  return sql`(select ${accountDeletions.accountId} from ${accountDeletions}, json_each(${accountDeletions.ancestorIds}) as above
    where above.value = ${accountId})`;
}

export const USED: Record<Quota, (accountId: string) => SQL> = {
  passes: (
    id,
  ) => sql`(select coalesce(sum(${templates.passCount}), 0) from ${templates} where ${templates.accountId} in ${treeOf(id)})
    + (select count(*) from ${passes} where ${passes.templateId} in (
        select ${templateDeletions.templateId} from ${templateDeletions} where ${templateDeletions.accountId} in ${treeOf(id)}))
    + (select count(*) from ${passes} where ${passes.accountId} in ${deletedBelow(id)})`,
  activePasses: (id) => sql`(select coalesce(sum(${activePassCounts.active}), 0) from ${activePassCounts}
    where ${activePassCounts.accountId} in ${treeOf(id)})
    + (select count(*) from ${passes} where ${passes.accountId} in ${deletedBelow(id)} and ${passes.numberOfActive} > 0)`,
  subCustomers: subCustomersOf,
  messages: () => sql`0`,
  requests: () => sql`0`,
};

/** Begins to count sub-customers of the account and those above it; put it before the check for room. */
export function beginCountingSubCustomers(ctx: AccountContext) {
  const line = sql.raw('line.value');
  const isCounted = sql`exists (select 1 from ${accountQuotas} where account_id = ${line} and quota = 'subCustomers')`;
  return rawStatement(
    ctx.db,
    sql`${INTO_QUOTAS}
      select ${line}, 'subCustomers', ${QUOTA_DEFAULTS.subCustomers}, ${subCustomersOf(line)}, null, 0, null
      from json_each(${JSON.stringify(lineageOf(ctx.account))}) as line where not ${isCounted}`,
  );
}
