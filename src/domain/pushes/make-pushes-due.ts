import { and, gt, inArray, isNull, type SQL } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { pageOf } from '../purge.ts';
import { pendingPushes, pushFanOuts, pushPages } from './table.ts';

/**
 * Builds the statements that make pending pushes of resumed accounts due, one page of each kind. Pushes in progress are
 * left to their job. `now` is the same for all pages.
 */
export function makePushesDue(ctx: Context, accountIds: SQL, now: number) {
  const fanOutIds = ctx.db
    .select({ id: pushFanOuts.id })
    .from(pushFanOuts)
    .where(inArray(pushFanOuts.accountId, accountIds));
  return [
    ctx.db
      .update(pendingPushes)
      .set({ dueAt: now })
      .where(
        pageOf(
          pendingPushes,
          and(gt(pendingPushes.dueAt, now), isNull(pendingPushes.claim), inArray(pendingPushes.accountId, accountIds)),
        ),
      ),
    ctx.db
      .update(pushPages)
      .set({ dueAt: now })
      .where(
        pageOf(
          pushPages,
          and(gt(pushPages.dueAt, now), isNull(pushPages.claim), inArray(pushPages.fanOutId, fanOutIds)),
        ),
      ),
    ctx.db
      .update(pushFanOuts)
      .set({ dueAt: now })
      .where(
        pageOf(
          pushFanOuts,
          and(gt(pushFanOuts.dueAt, now), isNull(pushFanOuts.claim), inArray(pushFanOuts.accountId, accountIds)),
        ),
      ),
  ] as const;
}
