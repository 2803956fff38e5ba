import { and, eq, inArray, isNotNull, isNull, lte, sql } from 'drizzle-orm';
import { logLine } from '../../platform/log.ts';
import { type Context, enqueue } from '../context.ts';
import type { Job } from '../jobs.ts';
import { endFanOut } from './claim-page.ts';
import { handOverPushes } from './hand-over-pushes.ts';
import { HAND_OVER_LEASE_MS, PUSH_LIFETIME_MS } from './leases.ts';
import { pendingPushes, pushFanOuts, pushPages } from './table.ts';

/** Rows of each kind that one run hands over, a minute before the next. */
const PUSHES_MAX = 2_000;
const PAGES_MAX = 500;
const FAN_OUTS_MAX = 100;

/**
 * Cron task: hands what is due to the queue again: the job got lost, its worker died, or the other side asked to wait. Each row is taken by one conditional statement, so that of two crons at once one
 * gets it. What could not be sent for a day is given up.
 */
export async function resumePushes(ctx: Context, now = Date.now()): Promise<void> {
  const lease = { claim: null, dueAt: now + HAND_OVER_LEASE_MS };
  const [lost, lostPages, lostFanOuts] = await ctx.db.batch([
    ctx.db
      .update(pendingPushes)
      .set(lease)
      .where(
        sql`rowid in (select rowid from ${pendingPushes} where ${lte(pendingPushes.dueAt, now)} order by ${pendingPushes.dueAt} limit ${PUSHES_MAX})`,
      )
      .returning({
        passId: pendingPushes.passId,
        accountId: pendingPushes.accountId,
        wallet: pendingPushes.wallet,
        requestedAt: pendingPushes.requestedAt,
      }),
    ctx.db
      .update(pushPages)
      .set(lease)
      .where(
        sql`rowid in (select rowid from ${pushPages} where ${lte(pushPages.dueAt, now)} order by ${pushPages.dueAt} limit ${PAGES_MAX})`,
      )
      .returning({ fanOutId: pushPages.fanOutId, page: pushPages.number, requestedAt: pushPages.requestedAt }),
    ctx.db
      .update(pushFanOuts)
      .set(lease)
      .where(
        inArray(
          pushFanOuts.id,
          ctx.db
            .select({ id: pushFanOuts.id })
            .from(pushFanOuts)
            .where(and(isNotNull(pushFanOuts.dueAt), lte(pushFanOuts.dueAt, now)))
            .limit(FAN_OUTS_MAX),
        ),
      )
      .returning({ id: pushFanOuts.id }),
  ]);
  const isOld = ({ requestedAt }: { requestedAt: number }) => requestedAt < now - PUSH_LIFETIME_MS;
  await giveUp(ctx, lost.filter(isOld), lostPages.filter(isOld));
  await handOverPushes(
    ctx,
    lost.filter((push) => !isOld(push)),
  );
  await enqueue(ctx, [
    ...lostFanOuts.map(({ id }): Job => ({ type: 'walk-push-fan-out', fanOutId: id })),
    ...lostPages
      .filter((page) => !isOld(page))
      .map(({ fanOutId, page }): Job => ({ type: 'push-page', fanOutId, page })),
  ]);
}

async function giveUp(
  ctx: Context,
  old: Pick<typeof pendingPushes.$inferSelect, 'passId' | 'wallet'>[],
  oldPages: { fanOutId: string; page: number }[],
): Promise<void> {
  const statements = [
    ...old.map(({ passId, wallet }) =>
      ctx.db
        .delete(pendingPushes)
        .where(and(eq(pendingPushes.passId, passId), eq(pendingPushes.wallet, wallet), isNull(pendingPushes.claim))),
    ),
    ...oldPages.flatMap(({ fanOutId, page }) => [
      ctx.db
        .delete(pushPages)
        .where(and(eq(pushPages.fanOutId, fanOutId), eq(pushPages.number, page), isNull(pushPages.claim))),
      endFanOut(ctx, eq(pushFanOuts.id, fanOutId)),
    ]),
  ];
  const [first, ...rest] = statements;
  if (!first) return;
  await ctx.db.batch([first, ...rest]);
  logLine('error', { event: 'pushes-given-up', requestId: ctx.requestId, passes: old.length, pages: oldPages.length });
}
