import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditEntries } from '../../../src/domain/audit/table.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { hourlyCounts } from '../../../src/domain/statistics/table.ts';
import type { ClaimedDelivery } from '../../../src/domain/webhooks/claim.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { type Subscription, webhookDeliveries, webhookSubscriptions } from '../../../src/domain/webhooks/table.ts';
import { type FinishedAttempt, PAUSED_AFTER_MS } from '../../../src/domain/webhooks/write-health.ts';
import { writeOutcomes } from '../../../src/domain/webhooks/write-outcomes.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

const LEASE_UNTIL = 5_000;
const NOW = Date.UTC(2026, 10, 20);

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

/** Returns a claimed delivery as a run read it; then the subscription changes by `meanwhile`. */
async function claimed(meanwhile: Partial<Subscription> = { status: 'active' }) {
  const account = await database.accountContext();
  const ctx: AccountContext = { ...account, env: { ...account.env, WEBHOOKS: queueTo() } };
  const target_url = 'https://receiver.example.com/';
  const { subscription } = await subscribe(ctx, { target_url, event: 'pass_created', retryEnabled: true });
  const event = { id: uuidv7(), type: 'pass_created', body: '{}', createdAt: NOW - 2_000 };
  const key = { subscriptionId: subscription.id, eventId: event.id };
  await database.look
    .insert(webhookDeliveries)
    .values({ ...key, state: 'waiting', nextAttemptAt: LEASE_UNTIL, attemptCount: 0, attempts: [], createdAt: 1 });
  const isIt = eq(webhookSubscriptions.id, subscription.id);
  await database.look.update(webhookSubscriptions).set(meanwhile).where(isIt);
  const one: ClaimedDelivery = { subscription, event, leaseUntilAt: LEASE_UNTIL, attemptCount: 0, attempts: [] };
  return {
    one,
    write: (claim: ClaimedDelivery, outcome: string) =>
      writeOutcomes(ctx, [{ claimed: claim, attempt: { at: NOW - 1_000, durationMs: 500, outcome } }], [], [], NOW),
    writeAll: (finished: FinishedAttempt[]) => writeOutcomes(ctx, finished, [], [], NOW),
    delivery: async () =>
      (await database.look.select().from(webhookDeliveries).where(eq(webhookDeliveries.eventId, event.id)))[0]!,
    subscription: async () => (await database.look.select().from(webhookSubscriptions).where(isIt))[0]!,
    actions: async () =>
      (await database.look.select().from(auditEntries).where(eq(auditEntries.accountId, account.account.id)))
        .map(({ action }) => action)
        .filter((action) => action === 'webhook.pause' || action === 'webhook.end'),
  };
}

test('a run writes the outcome of a delivery that it has claimed', async () => {
  const { one, write, delivery, subscription } = await claimed({ failingSinceAt: 1 });
  await write(one, 'delivered');
  expect(await delivery()).toMatchObject({ state: 'delivered', nextAttemptAt: null, attemptCount: 1 });
  expect(await subscription()).toMatchObject({ delivered: 1, failed: 0, failingSinceAt: null, lagMillis: 1_500 });
});

test('a run whose lease was taken over writes nothing to the delivery', async () => {
  const { one, write, delivery } = await claimed();
  const before = await delivery();
  await write({ ...one, leaseUntilAt: LEASE_UNTIL - 1 }, 'delivered');
  expect(await delivery()).toEqual(before);
});

test.each([
  ['five days', 'paused', 0],
  ['less', 'active', 1],
])('a subscription that fails since %s is then %s', async (_, status, late) => {
  const { one, write, subscription, actions } = await claimed({ failingSinceAt: NOW - PAUSED_AFTER_MS + late });
  await write(one, 'status_500');
  expect(await subscription()).toMatchObject({ status, notifyOwnerAt: status === 'paused' ? NOW : null });
  expect(await actions()).toEqual(status === 'paused' ? ['webhook.pause'] : []);
});

test.each(['paused', 'ended'] as const)(
  'an attempt that fails after the subscription was %s does not change its status',
  async (status) => {
    const { one, write, subscription, actions } = await claimed({ status, failingSinceAt: 1 });
    await write(one, 'status_500');
    expect(await subscription()).toMatchObject({ status, notifyOwnerAt: null, failingSinceAt: 1 });
    expect(await actions()).toEqual([]);
  },
);

test('a receiver that answers 410 ends its subscription once', async () => {
  const { one, write, subscription, delivery, actions } = await claimed();
  await write(one, 'status_410');
  await write(one, 'status_410');
  expect(await subscription()).toMatchObject({ status: 'ended' });
  expect(await delivery()).toMatchObject({ state: 'failed', nextAttemptAt: null });
  expect(await actions()).toEqual(['webhook.end']);
});

test('the first outcome of another hour moves the webhook’s counts to the hourly counts', async () => {
  const [hour, earlier] = [NOW - 3_600_000, NOW - 7_200_000];
  const uncounted = { [`webhook_failed ${earlier}`]: 2 };
  const { one, write, subscription } = await claimed({ uncounted });
  await write({ ...one, subscription: { ...one.subscription, uncounted } }, 'delivered');
  expect((await subscription()).uncounted).toEqual({ [`webhook_delivered ${hour}`]: 1 });
  const added = await database.look.select().from(hourlyCounts).where(eq(hourlyCounts.hourAt, earlier));
  expect(added).toMatchObject([{ metric: 'webhook_failed', count: 2 }]);
});

test('figures that are written together are correct for each webhook', async () => {
  const [first, second, third, other] = [
    await claimed(),
    await claimed({ failingSinceAt: 1 }),
    await claimed(),
    await claimed(),
  ];
  const HOUR_MS = 3_600_000;
  const at = (time: number, claim: ClaimedDelivery, outcome = 'delivered') => ({
    claimed: claim,
    attempt: { at: time, durationMs: 500, outcome },
  });
  const before = await other.subscription();
  const finished = [
    at(NOW + 2_000, first.one),
    at(NOW + 1_000, first.one),
    at(NOW + 3_000, second.one),
    at(NOW - HOUR_MS, third.one),
    at(NOW, third.one),
    at(NOW + 1_000, third.one, 'status_500'),
  ];
  await first.writeAll(finished);
  const hour = (metric: string, beginsAt = NOW) => `webhook_${metric} ${beginsAt}`;
  expect(await first.subscription()).toMatchObject({
    delivered: 2,
    failed: 0,
    lastOutcome: 'delivered',
    lastAttemptAt: NOW + 2_000,
    lagMillis: 3_500,
    uncounted: { [hour('delivered')]: 2 },
  });
  expect(await second.subscription()).toMatchObject({
    delivered: 1,
    failingSinceAt: null,
    lastAttemptAt: NOW + 3_000,
    lagMillis: 5_500,
    uncounted: { [hour('delivered')]: 1 },
  });
  expect(await third.subscription()).toMatchObject({
    delivered: 2,
    lastOutcome: 'status_500',
    lastAttemptAt: NOW + 1_000,
    uncounted: { [hour('delivered', NOW - HOUR_MS)]: 1, [hour('delivered')]: 1, [hour('retried')]: 1 },
  });
  expect(await other.subscription()).toEqual(before);
});
