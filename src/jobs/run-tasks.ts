import { type Context, contextOf } from '../domain/context.ts';
import { recordMetric } from '../domain/metrics/record-metric.ts';
import { moveRefusal } from '../domain/moved.ts';
import { DIRECTORY } from '../domain/shard-map.ts';
import type { Env } from '../platform/env.ts';
import { logLine } from '../platform/log.ts';
import { measured } from './measured.ts';

/** Slightly less than the time until the next run, in milliseconds. */
const TASK_MS_MAX = 50_000;

export type Task = (ctx: Context) => Promise<void>;

/** Result of a task. */
export interface TaskRun {
  task: string;
  status: 'done' | 'failed' | 'overdue';
}

/**
 * Runs tasks, given by name, side by side in a database. A slow or failing task delays no other. A task that takes
 * longer than `msMax` milliseconds is logged as overdue and no longer awaited, but continues as long as the platform
 * allows.
 */
export function runTasks(
  env: Env,
  execution: ExecutionContext,
  tasks: Record<string, Task>,
  { database = DIRECTORY, msMax = TASK_MS_MAX }: { database?: string; msMax?: number } = {},
): Promise<TaskRun[]> {
  const runs = Object.entries(tasks).map(async ([task, run]): Promise<TaskRun> => {
    const unit = {
      line: { event: 'task', task, database: database === DIRECTORY ? undefined : database },
      metric: { kind: 'task', name: task },
      requestId: crypto.randomUUID(),
      onError: 'failed',
      database,
    } as const;
    // Drops the second argument, the log line: a task may take a time in its place.
    const work = measured(env, execution, unit, (ctx) => run(ctx));
    execution.waitUntil(work);
    const ended = await within(work, msMax);
    // Some rows belong to an account that is being moved. The next minute tries again.
    if (ended) return { task, status: ended.result && !moveRefusal(ended.result.error) ? 'failed' : 'done' };
    const { line, metric, requestId } = unit;
    logLine('error', { ...line, requestId, status: 'overdue', durationMs: msMax });
    const ctx = contextOf(env, 0, { requestId, waitUntil: (promise) => execution.waitUntil(promise) });
    recordMetric(ctx, { ...metric, outcome: 'overdue', durationMs: msMax });
    return { task, status: 'overdue' };
  });
  return Promise.all(runs);
}

/** Waits at most `msMax` milliseconds for work. Returns undefined if it hasn't ended by then. */
async function within<T>(work: Promise<T>, msMax: number): Promise<{ result: T } | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const overdue = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, msMax, undefined);
  });
  const ended = await Promise.race([work.then((result) => ({ result })), overdue]);
  clearTimeout(timer);
  return ended;
}
