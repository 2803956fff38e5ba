import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { AccountContext, Context } from '../../../src/domain/context.ts';
import type { DeliveryJob } from '../../../src/domain/jobs.ts';
import { deliver } from '../../../src/domain/webhooks/deliver.ts';
import { sweepDeliveries } from '../../../src/domain/webhooks/purge-deliveries.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

/* The D1 cost of deliveries, whatever else is stored. */

const HISTORY = 20_000;

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database?.close());
afterEach(() => vi.unstubAllGlobals());

/** Returns a context with its own figures, whose delivery jobs are dropped. */
function context(): Context {
  const ctx = database.context();
  return { ...ctx, env: { ...ctx.env, WEBHOOKS: queueTo() } };
}

async function account(subscriptions: number): Promise<{ ctx: AccountContext; ids: string[] }> {
  const ctx = await database.accountContext();
  const ids: string[] = [];
  for (let i = 0; i < subscriptions; i++) {
    const target_url = `https://receiver.example.com/${i}`;
    ids.push((await subscribe(ctx, { target_url, event: 'pass_deleted', retryEnabled: true })).subscription.id);
  }
  return { ctx, ids };
}

async function commitEvents({ account: { id } }: AccountContext, count: number): Promise<void> {
  await database.d1
    .prepare(
      `insert into account_events (id, account_id, type, body, created_at, pending) with recursive numbers(value) as
        (select 1 union all select value + 1 from numbers where value < ?)
       select lower(hex(randomblob(16))), ?, 'pass_deleted', '{"passId":"x"}', ?, 1 from numbers`,
    )
    .bind(count, id, Date.now())
    .run();
}

/** Inserts past events and deliveries of this account and subscription. */
async function makeHistory({ account: { id } }: AccountContext, subscriptionId: string): Promise<void> {
  await database.d1
    .prepare(
      `insert into account_events (id, account_id, type, body, created_at) with recursive numbers(value) as
        (select 1 union all select value + 1 from numbers where value < ${HISTORY})
       select 'old-' || ? || value, ?, 'pass_deleted', '{}', 1 from numbers`,
    )
    .bind(id, id)
    .run();
  await database.d1
    .prepare(
      `insert into event_deliveries (subscription_id, event_id, state, attempt_count, attempts, created_at)
       select ?, id, 'delivered', 1, '[]', 1 from account_events where account_id = ? and id like 'old-%'`,
    )
    .bind(subscriptionId, id)
    .run();
}

/**
 * Delivers without the ticker, which writes early on slow machines, and would make the figures depend on the machine.
 */
async function tell(deliveryJobs: DeliveryJob[], status = 200) {
  vi.stubGlobal('fetch', async () => new Response('', { status }));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const ctx = context();
    const { attempts } = await deliver(ctx, deliveryJobs);
    return { attempts, ...ctx.meter };
  } finally {
    vi.useRealTimers();
  }
}

describe('a hundred events for one subscription', () => {
  test.each(['nothing', 'a long history'])(
    'take two round trips and four rows written each, with %s',
    async (beside) => {
      const { ctx, ids } = await account(1);
      if (beside !== 'nothing') await makeHistory(ctx, ids[0]!);
      await commitEvents(ctx, 99);
      const cost = await tell([{ type: 'fan-out-events', accountId: ctx.account.id }]);
      expect(cost.attempts).toBe(99);
      expect(cost.roundTrips).toBeLessThanOrEqual(4);
      expect(cost.rowsWritten).toBeLessThanOrEqual(99 * 4 + 2);
      expect(cost.rowsRead).toBeLessThanOrEqual(99 * 24 + 50);
    },
  );

  test('take three rows written per further attempt', async () => {
    const { ctx, ids } = await account(1);
    await makeHistory(ctx, ids[0]!);
    await commitEvents(ctx, 99);
    await tell([{ type: 'fan-out-events', accountId: ctx.account.id }], 500);
    await database.d1
      .prepare('update event_deliveries set next_attempt_at = 1 where next_attempt_at is not null')
      .run();
    const cost = await tell([{ type: 'deliver-webhooks', accountId: ctx.account.id, subscriptionId: ids[0]! }]);
    expect(cost.attempts).toBe(99);
    // Claims double, starting at two. If attempts end before the next claim, a separate write records them: one more
    // row.
    const claims = 7;
    expect(cost.roundTrips).toBeLessThanOrEqual(claims * 2);
    expect(cost.rowsWritten).toBeLessThanOrEqual(99 * 3 + cost.roundTrips / 2);
    expect(cost.rowsRead).toBeLessThanOrEqual(99 * 13 + 50);
  });
});

test('one event for a hundred subscriptions takes four rows written per delivery', async () => {
  const { ctx } = await account(100);
  await commitEvents(ctx, 1);
  const cost = await tell([{ type: 'fan-out-events', accountId: ctx.account.id }]);
  expect(cost.attempts).toBe(100);
  expect(cost.roundTrips).toBe(2);
  expect(cost.rowsWritten).toBeLessThanOrEqual(100 * 4 + 1);
});

test('ten events for a hundred subscriptions take less than three and a half, and one write for all figures at a time', async () => {
  const { ctx } = await account(100);
  await commitEvents(ctx, 10);
  const cost = await tell([{ type: 'fan-out-events', accountId: ctx.account.id }]);
  expect(cost.attempts).toBe(1_000);
  expect(cost.roundTrips).toBe(5);
  expect(cost.rowsWritten).toBeLessThanOrEqual(1_000 * 3.4 + 10);
});

test('a delivery job without work writes nothing, and a sweep reads one row per waiting subscription', async () => {
  const { ctx, ids } = await account(3);
  const idle = await tell([
    { type: 'fan-out-events', accountId: ctx.account.id },
    { type: 'deliver-webhooks', accountId: ctx.account.id, subscriptionId: ids[0]! },
  ]);
  expect([idle.attempts, idle.rowsWritten]).toEqual([0, 0]);
  expect(idle.rowsRead).toBeLessThanOrEqual(22);
  await commitEvents(ctx, 60);
  await tell([{ type: 'fan-out-events', accountId: ctx.account.id }], 500);
  const sweep = context();
  await sweepDeliveries(sweep);
  expect(sweep.meter.roundTrips).toBe(1);
  expect(sweep.meter.rowsRead).toBeLessThanOrEqual(40);
});
