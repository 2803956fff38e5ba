import { afterEach, expect, test, vi } from 'vitest';
import { runTasks, type Task } from '../../src/jobs/cron.ts';
import type { Env } from '../../src/platform/env.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Runs tasks. Returns what they log by name, and the work that continues afterwards. */
async function run(tasks: Record<string, Task>, msMax?: number) {
  const logged: Record<string, string[]> = {};
  const note = (text: string) => {
    const { task, status } = JSON.parse(text);
    logged[task] = [...(logged[task] ?? []), status];
  };
  vi.spyOn(console, 'log').mockImplementation(note);
  vi.spyOn(console, 'error').mockImplementation(note);
  const background: Promise<unknown>[] = [];
  const execution = { waitUntil: (work: Promise<unknown>) => background.push(work) } as unknown as ExecutionContext;
  const env = { DB: { withSession: () => ({}) }, BASE_URL: 'https://passes.example' } as unknown as Env;
  await runTasks(env, execution, tasks, { msMax });
  return { logged, background };
}

test('a hanging task stops neither another one nor the run', async () => {
  vi.useFakeTimers();
  let finish = () => {};
  const running = run({
    slow: () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
    quick: async () => {},
    broken: async () => {
      throw new Error('out of order');
    },
  });
  await vi.advanceTimersByTimeAsync(50_000);
  const { logged, background } = await running;
  expect(logged).toEqual({ quick: ['done'], broken: ['failed'], slow: ['overdue'] });
  finish();
  await Promise.all(background);
  expect(logged.slow).toEqual(['overdue', 'done']);
});

test('a run waits for no longer than its slowest task', async () => {
  vi.useFakeTimers();
  const { logged } = await run({ quick: async () => {} });
  expect(logged).toEqual({ quick: ['done'] });
  expect(vi.getTimerCount()).toBe(0);
});
