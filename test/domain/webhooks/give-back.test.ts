import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { BEING_MOVED } from '../../../src/domain/moved.ts';
import type { ClaimedDelivery } from '../../../src/domain/webhooks/claim.ts';
import { Connections } from '../../../src/domain/webhooks/connections.ts';
import { Sender } from '../../../src/domain/webhooks/sender.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { webhookDeliveries } from '../../../src/domain/webhooks/table.ts';
import { slicesOf } from '../../../src/platform/chunks.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { d1Around } from '../../support/d1-over.ts';
import { queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());
afterEach(() => vi.unstubAllGlobals());

const CLAIMED = 2_300;
const LEASE_UNTIL = Date.now() + 30_000;
/** Longer than the answers of a receiver that keeps its turns. */
const ANSWER_MS = 1_300;

test('all deliveries delayed by a slow receiver are returned in pages', async () => {
  vi.stubGlobal('fetch', async () => {
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    return new Response(null, { status: 204 });
  });
  const account = await database.accountContext();
  const jobs: unknown[] = [];
  const ctx: AccountContext = { ...account, env: { ...account.env, WEBHOOKS: queueTo((job) => jobs.push(job)) } };
  const target_url = 'https://receiver.example.com/';
  const { subscription } = await subscribe(ctx, { target_url, event: 'pass_created' });
  const claimed = Array.from({ length: CLAIMED }, (): ClaimedDelivery => {
    const event = { id: uuidv7(), type: 'pass_created', body: '{}', createdAt: 1 };
    return { subscription, event, leaseUntilAt: LEASE_UNTIL, attemptCount: 0, attempts: [] };
  });
  const rows = claimed.map(({ event }) => ({
    ...{ subscriptionId: subscription.id, eventId: event.id, state: 'waiting' as const, nextAttemptAt: LEASE_UNTIL },
    ...{ attemptCount: 0, attempts: [], createdAt: 1 },
  }));
  for (const page of slicesOf(rows, 10)) await database.look.insert(webhookDeliveries).values(page);

  const batch = vi.spyOn(ctx.db, 'batch');
  const sender = new Sender(ctx, Date.now() + 10_000, new Connections());
  sender.add(claimed, new Map());
  await sender.end();

  const left = await database.look.select().from(webhookDeliveries);
  const delivered = left.filter(({ state }) => state === 'delivered');
  expect(delivered).toHaveLength(sender.attempts);
  expect(left.filter(({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt < LEASE_UNTIL)).toHaveLength(
    CLAIMED - sender.attempts,
  );
  const results = await Promise.all(batch.mock.results.map(({ value }) => value));
  const changed = results.flat().map(({ meta }) => meta?.changes ?? 0);
  expect(changed.length).toBeGreaterThan(CLAIMED / 1_000);
  expect(Math.max(...changed)).toBeLessThanOrEqual(500);
});

test('a webhook whose deliveries are returned gets a job, although another account refuses the last page', async () => {
  const jobs: unknown[] = [];
  const accounts = [await database.accountContext(), await database.accountContext()];
  const subscriptions = [];
  for (const account of accounts) {
    const hook = { target_url: 'https://receiver.example.com/', event: 'pass_created' } as const;
    subscriptions.push((await subscribe(account, hook)).subscription);
  }
  const [moving, staying] = subscriptions;
  let refusals = 1;
  const d1 = d1Around(database.d1, async (run, statements) => {
    if (!JSON.stringify(statements).includes(moving!.id) || refusals === 0) return run();
    refusals -= 1;
    throw new Error(BEING_MOVED);
  });
  const { env } = accounts[0]!;
  const ctx = {
    ...database.context(),
    ...openDatabase(d1),
    env: { ...env, WEBHOOKS: queueTo((some) => jobs.push(...some)) },
  };
  // The first 500 make the last page.
  const claimed = [...Array(500).fill(moving), staying].map((subscription): ClaimedDelivery => {
    const event = { id: uuidv7(), type: 'pass_created', body: '{}', createdAt: 1 };
    return { subscription, event, leaseUntilAt: LEASE_UNTIL, attemptCount: 0, attempts: [] };
  });
  const sender = new Sender(ctx, Date.now() + 10_000, new Connections());
  sender.isClosed = true;
  sender.add(claimed, new Map());
  await sender.end();
  const ids = jobs.map((job) => (job as { subscriptionId: string }).subscriptionId);
  expect(ids.toSorted()).toEqual([moving!.id, staying!.id].toSorted());
});
