import { and, gt, inArray, isNull, type SQL } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { pendingPushes, pushFanOuts, pushPages } from './table.ts';

/**
 * The statements that make pushes of the selected accounts due which waited while these were suspended; what a job
 * works on is left to it.
 */
export function wakePushes(ctx: Context, accountIds: SQL) {
  const now = Date.now();
  const fanOutIds = ctx.db
    .select({ id: pushFanOuts.id })
    .from(pushFanOuts)
    .where(inArray(pushFanOuts.accountId, accountIds));
  return [
    ctx.db
      .update(pendingPushes)
      .set({ dueAt: now })
      .where(
        and(gt(pendingPushes.dueAt, now), isNull(pendingPushes.claim), inArray(pendingPushes.accountId, accountIds)),
      ),
    ctx.db
      .update(pushPages)
      .set({ dueAt: now })
      .where(and(gt(pushPages.dueAt, now), isNull(pushPages.claim), inArray(pushPages.fanOutId, fanOutIds))),
    ctx.db
      .update(pushFanOuts)
      .set({ dueAt: now })
      .where(and(gt(pushFanOuts.dueAt, now), isNull(pushFanOuts.claim), inArray(pushFanOuts.accountId, accountIds))),
  ] as const;
}
