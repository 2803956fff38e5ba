import { noteEnded, whileRunning } from '../dev/activity.ts';
import { type Context, contextIn, contextOfAccount } from '../domain/context.ts';
import { ensureMap, followMoves } from '../domain/databases/follow-moves.ts';
import { recordUnit } from '../domain/metrics/outcomes.ts';
import type { Metric } from '../domain/metrics/record-metric.ts';
import { moveRefusal } from '../domain/moved.ts';
import { ensureAddress } from '../domain/service-settings/read-address.ts';
import { DIRECTORY, placeOfAccount } from '../domain/shard-map.ts';
import { serviceTime } from '../platform/clock.ts';
import type { Env } from '../platform/env.ts';
import { describeError, logLine } from '../platform/log.ts';

/** A unit of background work: a job, a batch of jobs or a cron task. */
export interface Unit {
  /** First members of the log line: the event and the name of the unit. */
  line: Record<string, unknown>;
  /** Data point of the unit. */
  metric: Pick<Metric, 'kind' | 'name' | 'value' | 'ageMs' | 'attempt'>;
  /** Identifies the unit in its log lines. */
  requestId: string;
  /** Status in the log line if the unit throws. */
  onError: 'failed' | 'retry';
  /** Account whose database the unit uses; absent: `database`. */
  accountId?: string;
  /** Name of the database; absent: the directory. */
  database?: string;
}

/**
 * Runs a unit in a context of its own and logs its result and cost; `work` may add members to the log line. Returns the
 * error that the unit threw, if any.
 */
export function measured(
  env: Env,
  execution: ExecutionContext,
  unit: Unit,
  work: (ctx: Context, line: Record<string, unknown>) => Promise<void>,
): Promise<{ error: unknown } | undefined> {
  return whileRunning(env, async () => {
    const { line, metric, requestId, onError, accountId: owner, database = DIRECTORY } = unit;
    const startedAt = performance.now();
    const origin = { requestId, waitUntil: (promise: Promise<unknown>) => execution.waitUntil(promise) };
    let ctx = contextIn(env, DIRECTORY, origin);
    let failed: { error: unknown } | undefined;
    try {
      await Promise.all([ensureMap(ctx), ensureAddress(ctx)]);
      if (owner) {
        await followMoves(ctx, () => {
          ctx = contextOfAccount(env, owner, origin);
          return work(ctx, line);
        });
      } else {
        ctx = contextIn(env, database, origin);
        await work(ctx, line);
      }
    } catch (error) {
      failed = { error };
    }
    const { accountId, roundTrips, rowsRead, rowsWritten } = ctx.meter;
    // While an account is being moved, its work waits.
    const isPostponed = failed !== undefined && moveRefusal(failed.error) !== undefined;
    const status = isPostponed ? 'postponed' : failed ? onError : 'done';
    const durationMs = Math.round((performance.now() - startedAt) * 100) / 100;
    logLine(failed && !isPostponed ? 'error' : 'info', {
      ...line,
      requestId,
      account: accountId ?? undefined,
      status,
      durationMs,
      d1RoundTrips: roundTrips,
      rowsRead,
      rowsWritten,
      error: failed && describeError(failed.error),
    });
    noteEnded({ line: { ...line, account: accountId ?? undefined }, status, rowsWritten });
    recordUnit(ctx, { ...metric, outcome: status, accountId, durationMs, roundTrips, rowsRead, rowsWritten });
    return failed;
  });
}

/**
 * Returns the name of a job's database: the directory if the job names no account, or one whose database isn't bound.
 */
export function databaseOf(env: Env, accountId: string | undefined): string {
  return (accountId && placeOfAccount(env, accountId)) || DIRECTORY;
}

/** Returns the milliseconds since the oldest of the messages was enqueued. */
export function ageOf(messages: readonly Pick<Message, 'timestamp'>[]): number {
  return Math.max(0, ...messages.map(({ timestamp }) => Date.now() - serviceTime(timestamp.getTime())));
}
