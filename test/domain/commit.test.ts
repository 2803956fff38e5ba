import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { commit, withFollowUps } from '../../src/domain/commit.ts';
import type { AccountContext } from '../../src/domain/context.ts';
import { DELAY_S_MAX, enqueue, type FollowUp, later } from '../../src/domain/enqueue.ts';
import type { Job } from '../../src/domain/jobs.ts';
import { openDatabase } from '../../src/platform/db.ts';
import { rawStatement } from '../../src/platform/raw-statement.ts';
import { failingWrite } from '../support/failing-once.ts';
import { queueTo } from '../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from './local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

interface Queues {
  jobs: unknown[];
  webhooks: unknown[];
  batches: number;
}

/** Returns a context with queues that record messages. */
async function withQueues(isDown = false): Promise<{ ctx: AccountContext; queues: Queues }> {
  const ctx = await database.accountContext();
  const queues: Queues = { jobs: [], webhooks: [], batches: 0 };
  const queue = (name: 'jobs' | 'webhooks') =>
    queueTo((bodies) => {
      if (isDown) throw new Error('the queue is down');
      queues.batches += 1;
      queues[name].push(...bodies);
    });
  const jobs = queue('jobs');
  const ofJobs = { JOBS: jobs, PUSHES: jobs, MESSAGES: jobs, IMPORTS: jobs };
  return { ctx: { ...ctx, env: { ...ctx.env, ...ofJobs, WEBHOOKS: queue('webhooks') } }, queues };
}

const rowOf = (ctx: AccountContext, n: number) => rawStatement<{ n: number }>(ctx.db, sql`select ${n} as n`);
const jobOf = (accountId: string, messageId: string): Job => ({ type: 'send-message', accountId, messageId });

test('enqueues the jobs of the statements and the given ones, depending on the results, each once on its queue', async () => {
  const { ctx, queues } = await withQueues();
  const { id: accountId } = ctx.account;
  const fanOut: FollowUp = { type: 'fan-out-events', accountId };
  const statements = [
    withFollowUps(rowOf(ctx, 1), () => [fanOut]),
    withFollowUps(rowOf(ctx, 2), (rows) => [fanOut, jobOf(accountId, String(rows[0]!.n))]),
    rowOf(ctx, 3),
  ] as const;
  const results = await commit(ctx, statements, ([, , [third]]) => [jobOf(accountId, String(third!.n))]);
  expect(results).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
  await vi.waitFor(() => expect(queues.batches).toBe(2));
  expect([queues.jobs, queues.webhooks]).toEqual([[jobOf(accountId, '2'), jobOf(accountId, '3')], [fanOut]]);
});

test('enqueues nothing of a batch that fails', async () => {
  const { ctx, queues } = await withQueues();
  const statements = [
    withFollowUps(rowOf(ctx, 1), () => [jobOf(ctx.account.id, 'never')]),
    rawStatement(ctx.db, sql`select json('broken')`),
  ] as const;
  await expect(commit(ctx, statements)).rejects.toThrow();
  expect(queues.batches).toBe(0);
});

test('succeeds even if the queue fails: the change stays, and the failure is logged', async () => {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { ctx } = await withQueues(true);
  expect(await commit(ctx, [rowOf(ctx, 1)], [jobOf(ctx.account.id, 'lost')])).toEqual([[{ n: 1 }]]);
  await vi.waitFor(() => expect(errors).toHaveBeenCalled());
  expect(JSON.parse(errors.mock.calls[0]![0])).toMatchObject({ event: 'enqueue', requestId: ctx.requestId });
});

test('sends batches no larger than a queue accepts', async () => {
  const { ctx, queues } = await withQueues();
  const accountId = ctx.account.id;
  await enqueue(
    ctx,
    Array.from({ length: 250 }, (_, i) => jobOf(accountId, String(i))),
  );
  expect([queues.jobs.length, queues.batches]).toEqual([250, 3]);
  const passIds = Array.from({ length: 2_500 }, () => crypto.randomUUID());
  await enqueue(
    ctx,
    Array.from({ length: 4 }, () => ({ type: 'erase-passes', accountId, passIds })),
  );
  expect(queues.batches).toBe(5);
});

test('a job waits for whole seconds, from one to the queue’s maximum', () => {
  const job = jobOf('account', 'later');
  expect([later(job, 0.9), later(job, 1), later(job, 1e9)]).toEqual([
    job,
    { job, delaySeconds: 1 },
    { job, delaySeconds: DELAY_S_MAX },
  ]);
});

test.each([
  ['Network connection lost', 1],
  ['UNIQUE constraint failed', 0],
])('a batch’s possible jobs are enqueued if D1 answers "%s": %i jobs', async (message, jobs) => {
  const { ctx, queues } = await withQueues();
  const db = openDatabase(failingWrite(database.d1, 'after', { message: `D1_ERROR: ${message}`, isDead: false })).db;
  const job = jobOf(ctx.account.id, 'perhaps');
  const write = rawStatement(db, sql`update accounts set name = name where id = ${ctx.account.id}`);
  await expect(commit({ ...ctx, db }, [withFollowUps(write, () => [], [job])])).rejects.toThrow(message);
  expect(queues.jobs).toEqual(Array(jobs).fill(job));
});
