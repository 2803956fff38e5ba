import { and, eq, lte, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { type AccountQuota, accountQuotas } from './table.ts';

/** A mail that was not sent within this time is tried again. */
const NOTICE_MS_MAX = 10 * 60_000;
const ROWS_MAX = 20;

/** Claims quotas whose owners must be notified. Until settled, each belongs to this run for ten minutes. */
export function claimNotices(ctx: Context, now: number): Promise<AccountQuota[]> {
  const { notifyAt } = accountQuotas;
  const due = sql`(select rowid from ${accountQuotas} where ${lte(notifyAt, now)} order by ${notifyAt} limit ${ROWS_MAX})`;
  return ctx.db
    .update(accountQuotas)
    .set({ notifyAt: now + NOTICE_MS_MAX })
    .where(sql`rowid in ${due}`)
    .returning();
}

/** Records that the owners were notified. A share that was reached meanwhile gets its own notification. */
export async function settleNotice(ctx: Context, { accountId, quota, notifyAt }: AccountQuota): Promise<void> {
  await ctx.db
    .update(accountQuotas)
    .set({ notifyAt: null })
    .where(
      and(
        eq(accountQuotas.accountId, accountId),
        eq(accountQuotas.quota, quota),
        eq(accountQuotas.notifyAt, notifyAt!),
      ),
    );
}
