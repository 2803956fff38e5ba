import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { isBelow } from '../account-tree.ts';
import { type Account, accounts } from '../accounts/table.ts';
import type { Context } from '../context.ts';
import { activePassCounts, passes } from '../passes/table.ts';
import { templateDeletions, templates } from '../templates/table.ts';
import { USED } from './set-quotas.ts';
import { type AccountQuota, accountQuotas, type Quota } from './table.ts';
import { lineageOf } from './use.ts';

/*
 * Quotas of an account that moves to another database, and of those above it. A quota has a row in each database that
 * holds something it counts, and counts only what is there.
 */

type Named = Pick<Account, 'id' | 'ancestorIds'>;

/** Builds the query for the quotas of the account and those above it in this database. */
export function quotasOf({ db }: Context, account: Named) {
  return db
    .select()
    .from(accountQuotas)
    .where(inArray(accountQuotas.accountId, lineageOf(account)));
}

/** Builds the statements that copy quotas to the new database of the account, and count their use there. */
export function copyQuotas({ db }: Context, account: Named, quotas: AccountQuota[]): BatchItem<'sqlite'>[] {
  return [
    ...quotas.map((quota) => {
      const isOwn = quota.accountId === account.id;
      const insert = db.insert(accountQuotas).values({ ...quota, used: isOwn ? quota.used : 0, notifyAt: null });
      const { max, used, periodEndsAt } = quota;
      const target = [accountQuotas.accountId, accountQuotas.quota];
      return isOwn
        ? insert.onConflictDoUpdate({ target, set: { max, used, periodEndsAt } })
        : insert.onConflictDoNothing();
    }),
    ...quotas
      .filter(({ quota }) => quota !== 'messages' && quota !== 'requests')
      .map(({ accountId, quota }) =>
        db
          .update(accountQuotas)
          .set({ used: USED[quota](accountId) as SQL<number> })
          .where(and(eq(accountQuotas.accountId, accountId), eq(accountQuotas.quota, quota))),
      ),
  ];
}

/**
 * Builds the statements that subtract an account's use from the quotas of the database it leaves, if `condition` holds.
 */
export function releaseUse({ db }: Context, account: Named, condition: SQL): BatchItem<'sqlite'>[] {
  const { id } = account;
  const used: Partial<Record<Quota, SQL>> = {
    passes: sql`(select coalesce(sum(${templates.passCount}), 0) from ${templates} where ${templates.accountId} = ${id})
      + (select count(*) from ${passes} where ${passes.templateId} in (
          select ${templateDeletions.templateId} from ${templateDeletions} where ${templateDeletions.accountId} = ${id}))`,
    activePasses: sql`(select coalesce(sum(${activePassCounts.active}), 0) from ${activePassCounts}
      where ${activePassCounts.accountId} = ${id})`,
    subCustomers: sql`iif(${accountQuotas.accountId} = ${id}, 0, 1)`,
  };
  return Object.entries(used).map(([quota, by]) =>
    db
      .update(accountQuotas)
      .set({ used: sql`max(0, ${accountQuotas.used} - (${by}))` })
      .where(
        and(inArray(accountQuotas.accountId, lineageOf(account)), eq(accountQuotas.quota, quota as Quota), condition),
      ),
  );
}

/** Builds the statement that deletes the quotas of an account that left, unless accounts below it count here. */
export function deleteQuotas({ db }: Context, accountId: string) {
  const isCounting = sql`exists (select 1 from ${accounts} where ${isBelow(accountId)})`;
  return db.delete(accountQuotas).where(sql`${accountQuotas.accountId} = ${accountId} and not ${isCounting}`);
}
