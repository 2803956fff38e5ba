import type { BatchItem, BatchResponse } from 'drizzle-orm/batch';
import { describeError, logLine } from '../platform/log.ts';
import { isTransient } from '../platform/transient-error.ts';
import type { Context } from './context.ts';
import { enqueue, type FollowUp } from './enqueue.ts';

/*
 * The queue messages of a change are sent after its commit. If one is lost, the cron finds the row that the change
 * wrote and sends the message again.
 */

const FOLLOW_UPS = Symbol('follow-ups');

interface AttachedJobs {
  byRows(rows: unknown): FollowUp[];
  withoutAnswer: FollowUp[];
}

/**
 * Attaches jobs to a statement, derived from its rows: `commit` enqueues them whatever batch the statement is in. If
 * D1's answer is lost, `commit` enqueues `withoutAnswer`: jobs that may find nothing to do.
 */
export function withFollowUps<S extends BatchItem<'sqlite'>>(
  statement: S,
  followUps: (rows: S['_']['result']) => FollowUp[],
  withoutAnswer: FollowUp[] = [],
): S {
  return Object.assign(statement, { [FOLLOW_UPS]: { byRows: followUps, withoutAnswer } });
}

function findAttached(statement: BatchItem<'sqlite'>): AttachedJobs | undefined {
  return FOLLOW_UPS in statement ? (statement[FOLLOW_UPS] as AttachedJobs) : undefined;
}

/**
 * Runs the statements of a change as one batch, then enqueues its follow-ups: those of `withFollowUps` and those given
 * here, which may depend on the results. Returns one result per statement. The reply doesn't wait for the queue; an
 * error of the queue is logged.
 */
export async function commit<const T extends readonly BatchItem<'sqlite'>[]>(
  ctx: Context,
  statements: T,
  followUps: FollowUp[] | ((results: BatchResponse<T>) => FollowUp[]) = [],
): Promise<BatchResponse<T>> {
  // Drizzle types a batch as a tuple with at least one statement, which can't be proved for a list built at run time.
  const run = ctx.db.batch as unknown as (batch: T) => Promise<BatchResponse<T>>;
  const results = await run.call(ctx.db, statements).catch((error: unknown) => {
    if (isTransient(error))
      enqueueSoon(
        ctx,
        statements.flatMap((statement) => findAttached(statement)?.withoutAnswer ?? []),
      );
    throw error;
  });
  const asked = statements.flatMap((statement, i) => findAttached(statement)?.byRows(results[i]) ?? []);
  const given = typeof followUps === 'function' ? followUps(results) : followUps;
  enqueueSoon(ctx, [...asked, ...given]);
  return results;
}

/**
 * Enqueues jobs for stored changes without waiting, and logs an error of the queue. Sends equal jobs once, because each
 * event of a batch asks for the same fan-out.
 */
export function enqueueSoon(ctx: Context, followUps: FollowUp[]): void {
  if (followUps.length === 0) return;
  const different = [...new Map(followUps.map((one) => [JSON.stringify(one), one])).values()];
  ctx.waitUntil(
    enqueue(ctx, different).catch((error: unknown) => {
      logLine('error', { event: 'enqueue', requestId: ctx.requestId, error: describeError(error) });
    }),
  );
}
