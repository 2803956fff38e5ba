import type { Context } from '../domain/context.ts';
import type { Env } from '../platform/env.ts';
import { logLine } from '../platform/log.ts';
import { measured } from './measured.ts';

/** A little less than the time until the next run. */
const TASK_MS_MAX = 50_000;

export type Task = (ctx: Context) => Promise<void>;

/**
 * Runs tasks side by side, by their names: one that fails or is slow holds up no other. What takes longer than
 * `msMax` milliseconds is logged as overdue and no longer waited for; it goes on for as long as the platform lets it.
 */
export async function runTasks(
  env: Env,
  execution: ExecutionContext,
  tasks: Record<string, Task>,
  msMax = TASK_MS_MAX,
): Promise<void> {
  const runs = Object.entries(tasks).map(([task, run]) => {
    const unit = { line: { event: 'task', task }, requestId: crypto.randomUUID(), onError: 'failed' } as const;
    // A task may take a time behind its context, which the line of the log is not.
    const work = measured(env, execution, unit, (ctx) => run(ctx));
    execution.waitUntil(work);
    return waitFor(work, msMax, () =>
      logLine('error', { ...unit.line, requestId: unit.requestId, status: 'overdue', durationMs: msMax }),
    );
  });
  await Promise.all(runs);
}

/** Waits until work has ended, or its time is over. */
async function waitFor(work: Promise<unknown>, msMax: number, onOverdue: () => void): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const overdue = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      onOverdue();
      resolve();
    }, msMax);
  });
  await Promise.race([work, overdue]);
  clearTimeout(timer);
}
