import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import {
  discardDeadLetter,
  requestRetries,
  requestRetry,
  resumeRetries,
  retryDeadLetter,
} from '../../../src/domain/dead-letters/manage-dead-letters.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

/* A retry is sent once, to its own queue, and never lost, whatever crashes on the way. */

const MINUTE_MS = 60_000;
const NOTHING = { type: 'send-message', messageId: 'none' };

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database?.close());

/** Messages sent to a test's two queues, and whether the queues reject. */
interface Queues {
  jobs: unknown[];
  webhooks: unknown[];
  refuse: boolean;
}

/** Creates an account with failed jobs, and contexts of it with observable queues. */
async function scene(...bodies: object[]) {
  const { account } = await database.accountContext();
  const queues: Queues = { jobs: [], webhooks: [], refuse: false };
  const queue = (name: 'jobs' | 'webhooks') => ({
    async sendBatch(batch: { body: unknown }[]) {
      if (queues.refuse) throw new Error('the queue is away');
      if (batch.length > 100) throw new Error('too many messages at once');
      queues[name].push(...batch.map(({ body }) => body));
    },
  });
  const context = (): AccountContext => {
    const ctx = database.context();
    const jobs = queue('jobs');
    const ofJobs = { JOBS: jobs, PUSHES: jobs, MESSAGES: jobs, IMPORTS: jobs };
    const env = { ...ctx.env, ...ofJobs, WEBHOOKS: queue('webhooks') };
    // The stand-in queues take batches, and a retry uses nothing else.
    return { ...ctx, env, account } as unknown as AccountContext;
  };
  const ids = bodies.map((_, i) => `${account.id}-${i}`);
  for (const [i, body] of bodies.entries()) {
    const { type = 'unknown' } = body as { type?: string };
    await database.d1
      .prepare('insert into dead_letters (id, account_id, type, body, failed_at) values (?, ?, ?, ?, 1)')
      .bind(ids[i], account.id, type, JSON.stringify(body))
      .run();
  }
  const left = async () => {
    const { results } = await database.d1
      .prepare('select due_at from dead_letters where account_id = ?')
      .bind(account.id)
      .all<{ due_at: number | null }>();
    return results.map(({ due_at }) => due_at);
  };
  return { context, queues, ids, left };
}

test('fifty retries at once send a job once, in two round trips', async () => {
  const { context, queues, ids, left } = await scene(NOTHING);
  const contexts = Array.from({ length: 50 }, context);
  const outcomes = await Promise.allSettled(contexts.map((ctx) => retryDeadLetter(ctx, ids[0]!)));
  expect(queues.jobs).toEqual([NOTHING]);
  expect(await left()).toEqual([]);
  // Anyone after it ends learns that the failed job doesn't exist.
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ kind: 'not_found' });
  }
  expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
  expect(Math.max(...contexts.map(({ meter }) => meter.roundTrips))).toBe(2);
});

test('each is sent to its original queue', async () => {
  const deliveryJobs = [{ type: 'deliver-webhooks', subscriptionId: 's' }, { type: 'fan-out-events' }];
  const others = [NOTHING, { type: 'of another version' }];
  const { context, queues, ids } = await scene(...deliveryJobs, ...others);
  for (const id of ids) await retryDeadLetter(context(), id);
  expect(queues).toMatchObject({ webhooks: deliveryJobs, jobs: others });
});

test('if the queue rejects it, or the process crashes before sending, the cron retries the letter', async () => {
  const { context, queues, ids, left } = await scene(NOTHING);
  queues.refuse = true;
  await retryDeadLetter(context(), ids[0]!);
  const [dueAt] = await left();
  expect(dueAt).toBeGreaterThan(Date.now());
  // Until then it is in progress, and repeating the request sends nothing.
  queues.refuse = false;
  await retryDeadLetter(context(), ids[0]!);
  await resumeRetries(context());
  expect(queues.jobs).toEqual([]);
  await resumeRetries(context(), dueAt!);
  expect(queues.jobs).toEqual([NOTHING]);
  expect(await left()).toEqual([]);
});

test('a cron retries after the queue rejects, and of several at once one sends', async () => {
  const { context, queues, ids, left } = await scene(NOTHING);
  await requestRetry(context(), ids[0]!);
  const now = Date.now();
  queues.refuse = true;
  await expect(resumeRetries(context(), now)).rejects.toThrow('away');
  expect(await left()).toHaveLength(1);
  queues.refuse = false;
  await Promise.all(Array.from({ length: 5 }, () => resumeRetries(context(), now + MINUTE_MS)));
  expect(queues.jobs).toEqual([NOTHING]);
});

test('all letters of an account, and no others, are sent in pages that a queue accepts', async () => {
  const { context, queues, ids, left } = await scene(...Array.from({ length: 230 }, () => NOTHING));
  const other = await scene(NOTHING);
  await requestRetry(context(), ids[0]!);
  expect(await requestRetries(context())).toBe(229);
  expect(await requestRetries(context())).toBe(0);
  await resumeRetries(context(), Date.now());
  expect(queues.jobs).toHaveLength(230);
  expect(await left()).toEqual([]);
  expect(await other.left()).toEqual([null]);
});

test('a minute without requests reads next to nothing', async () => {
  const { context } = await scene(...Array.from({ length: 20 }, () => NOTHING));
  const ctx = context();
  await resumeRetries(ctx);
  expect(ctx.meter.rowsRead).toBeLessThanOrEqual(5);
  expect(ctx.meter.rowsWritten).toBe(0);
});

test('nobody reaches the letters of another account', async () => {
  const mine = await scene(NOTHING);
  const { context, queues } = await scene();
  for (const act of [retryDeadLetter, requestRetry, discardDeadLetter]) {
    await expect(act(context(), mine.ids[0]!)).rejects.toMatchObject({ kind: 'not_found' });
  }
  expect(queues.jobs).toEqual([]);
  expect(await mine.left()).toEqual([null]);
});
