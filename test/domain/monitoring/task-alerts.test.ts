import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Context } from '../../../src/domain/context.ts';
import { openForAccounts } from '../../../src/domain/databases/open-database.ts';
import { ALERTS } from '../../../src/domain/monitoring/alerts.ts';
import { getServiceStatus } from '../../../src/domain/monitoring/get-service-status.ts';
import { CLEAR_TICKS, RAISE_TICKS, watchService } from '../../../src/domain/monitoring/watch-service.ts';
import { runCron, runTick } from '../../../src/jobs/cron.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import type { Env } from '../../../src/platform/env.ts';
import { d1Around } from '../../support/d1-over.ts';
import { jobQueues, queueTo } from '../../support/fake-queue.ts';
import { memoryBucket } from '../../support/memory-bucket.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

/* Alerts about the cron tasks of further databases, whose ticks run in invocations of their own, and about the cron. */

const MINUTE_MS = 60_000;

let directory: LocalDatabase;
let database: LocalDatabase;
let ctx: Context;

beforeAll(async () => {
  for (const level of ['log', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => {});
  [directory, database] = [await openLocalDatabase(), await openLocalDatabase()];
  const bindings = { DB_1: database.d1, FILES: memoryBucket(), ...jobQueues(), WEBHOOKS: queueTo(), TICKS: queueTo() };
  const context = directory.context();
  ctx = { ...context, env: { ...context.env, ...bindings } as unknown as Env };
  await openForAccounts(ctx, 'DB_1', async () => {});
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});
afterAll(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await directory.close();
  await database.close();
});

/** Runs the tasks of the further database, and measures the service, for this many minutes. */
async function minutes(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const after: Promise<unknown>[] = [];
    const execution = { waitUntil: (work: Promise<unknown>) => void after.push(work) } as ExecutionContext;
    await runTick(ctx.env, execution, { type: 'tick', database: 'DB_1' });
    await Promise.all(after);
    await watchService(ctx, [], Date.now());
    vi.setSystemTime(Date.now() + MINUTE_MS);
  }
}

const alerts = async () => (await getServiceStatus(ctx, Date.now())).alerts.map(({ name, detail }) => [name, detail]);

test('a task that fails in a further database raises an alert with both names, until it is done again', async () => {
  await database.d1.prepare('alter table idempotency_keys rename to gone').run();
  await minutes(RAISE_TICKS - 1);
  expect(await alerts()).toEqual([]);
  await minutes(1);
  expect(await alerts()).toEqual([['cron-tasks', 'DB_1: purge-idempotency-keys (failed)']]);
  await database.d1.prepare('alter table gone rename to idempotency_keys').run();
  await minutes(CLEAR_TICKS);
  expect(await alerts()).toEqual([]);
});

test('a cron whose runs end in the middle of their tasks raises an alert, until one ends', async () => {
  const alone = await openLocalDatabase();
  // The timers of runs that never end must not outlive the test.
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() });
  let isOver = false;
  let endsEarly = false;
  const DB = d1Around(alone.d1, (work, statements) => {
    isOver ||= endsEarly && statements.some(({ sql }) => sql.includes('idempotency_keys'));
    return isOver ? new Promise(() => {}) : work();
  });
  const { DB_1: _, ...bindings } = ctx.env as Env & { DB_1: unknown };
  const env: Env = { ...bindings, DB };
  const own = { ...ctx, env, ...openDatabase(DB), sessions: undefined };
  const cronMinutes = async (count: number) => {
    for (let i = 0; i < count; i++) {
      isOver = false;
      let hasEnded = false;
      void runCron(env, { waitUntil: () => {} } as unknown as ExecutionContext).finally(() => (hasEnded = true));
      while (!isOver && !hasEnded) await new Promise(setImmediate);
      isOver = false;
      vi.setSystemTime(Date.now() + MINUTE_MS);
    }
  };
  const raised = async () => (await getServiceStatus(own, Date.now())).alerts.map(({ name, detail }) => [name, detail]);
  await cronMinutes(2);
  expect(await raised()).toEqual([]);
  endsEarly = true;
  await cronMinutes(2 * RAISE_TICKS);
  expect(await raised()).toEqual([['cron-tasks', 'cron (overdue)']]);
  endsEarly = false;
  await cronMinutes(CLEAR_TICKS + 1);
  expect(await raised()).toEqual([]);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  await alone.close();
});

test('an alert names 20 tasks, and counts the others', () => {
  const tasks = Array.from({ length: 25 }, (_, i) => ({ task: `DB_${i}: purge-events`, status: 'failed' as const }));
  const detail = ALERTS['cron-tasks']!.detail({ tasks } as Parameters<(typeof ALERTS)[string]['detail']>[0]);
  expect(detail).toMatch(/^DB_0: purge-events \(failed\), .*, DB_19: purge-events \(failed\), and 5 more$/);
});
