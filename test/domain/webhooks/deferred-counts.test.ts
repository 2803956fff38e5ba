import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliveryView } from '../../../src/api/v1/hook-view.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { countsQuery, getStatistics } from '../../../src/domain/statistics/get-statistics.ts';
import type { ClaimedDelivery } from '../../../src/domain/webhooks/claim.ts';
import {
  deleteSubscription,
  getSubscription,
  listSubscriptions,
  resumeSubscription,
} from '../../../src/domain/webhooks/manage-subscription.ts';
import { DELIVERY_RETENTION_DAYS, purgeDeliveries } from '../../../src/domain/webhooks/purge-deliveries.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { type Subscription, webhookDeliveries, webhookSubscriptions } from '../../../src/domain/webhooks/table.ts';
import { writeOutcomes } from '../../../src/domain/webhooks/write-outcomes.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { firstUuidAt } from '../../../src/platform/ids.ts';
import { d1Around } from '../../support/d1-over.ts';
import { queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

/* The usual delivery counts itself: it doesn't write the row of its webhook. */

/** Time for which identifiers share seven digits. */
const WINDOW_MS = 1_048_576;
const HOUR_MS = 3_600_000;
const HOUR_AT = Date.UTC(2030, 0, 1);
/** The first such window of the hour. */
const BEGIN = Math.ceil(HOUR_AT / WINDOW_MS) * WINDOW_MS;
const LEASE_UNTIL = 5_000;
const target_url = 'https://receiver.example.com/';

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

interface Outcome {
  outcome?: string;
  /** Start of the attempt; by default a second after the event. */
  at?: number;
}

async function webhook() {
  const account = await database.accountContext();
  const ctx: AccountContext = { ...account, env: { ...account.env, WEBHOOKS: queueTo() } };
  const { id } = (await subscribe(ctx, { target_url, event: 'pass_created', retryEnabled: true })).subscription;
  const isIt = and(eq(webhookSubscriptions.id, id), eq(webhookSubscriptions.accountId, account.account.id));
  const row = async () => (await database.look.select().from(webhookSubscriptions).where(isIt))[0]!;
  const change = (values: Partial<Subscription>) => database.look.update(webhookSubscriptions).set(values).where(isIt);
  /** Claims the delivery of an event at `at`, again if it has ended. */
  const claim = async (at: number): Promise<ClaimedDelivery> => {
    const event = { id: firstUuidAt(at), type: 'pass_created', body: '{}', createdAt: at };
    const lease = { state: 'waiting', nextAttemptAt: LEASE_UNTIL, attemptCount: 0 } as const;
    const [delivery] = await database.look
      .insert(webhookDeliveries)
      .values({ subscriptionId: id, eventId: event.id, ...lease, attempts: [], createdAt: at })
      .onConflictDoUpdate({ target: [webhookDeliveries.subscriptionId, webhookDeliveries.eventId], set: lease })
      .returning();
    const { attempts } = delivery!;
    return { subscription: await row(), event, leaseUntilAt: LEASE_UNTIL, attemptCount: attempts.length, attempts };
  };
  /** Writes outcomes, and returns the written rows besides those of the deliveries. */
  const write = async (claims: ClaimedDelivery[], { outcome = 'delivered', at }: Outcome = {}, d1 = database.d1) => {
    const { db, meter } = openDatabase(d1);
    const finished = claims.map((claimed) => ({
      claimed,
      attempt: { at: at ?? claimed.event.createdAt + 1_000, durationMs: 500, outcome },
    }));
    await writeOutcomes({ ...ctx, db, meter }, finished, [], [], finished[0]!.attempt.at);
    // Each has left the index of due deliveries, too.
    return meter.rowsWritten - claims.length;
  };
  const send = async (at: number, outcome?: Outcome) => write([await claim(at)], outcome);
  const figures = async () => {
    const { delivered, failed, lastOutcome, lastAttemptAt, lagMillis } = await getSubscription(ctx, id);
    return { delivered, failed, lastOutcome, lastAttemptAt, lagMillis };
  };
  const hours = async () => {
    const { counts } = await getStatistics(ctx, ['webhook_delivered'], HOUR_AT, HOUR_AT + 3 * HOUR_MS);
    const sums = Map.groupBy(counts, ({ hourAt }) => (hourAt - HOUR_AT) / HOUR_MS);
    return Object.fromEntries([...sums].map(([hour, list]) => [hour, list.reduce((sum, { count }) => sum + count, 0)]));
  };
  const added = () => countsQuery(ctx, ['webhook_delivered'], HOUR_AT, HOUR_AT + 3 * HOUR_MS);
  return { ctx, id, row, change, claim, write, send, figures, hours, added };
}

test('in 17 minutes, only the first delivery writes the row of its webhook, and all of them are shown', async () => {
  const { send, row, figures, hours, ctx } = await webhook();
  const written: number[] = [];
  for (const place of [0, 1, 2, 3]) written.push(await send(BEGIN + place * 1_000));
  expect(written).toEqual([1, 0, 0, 0].map((rows) => rows + written[3]!));
  expect(await row()).toMatchObject({ delivered: 1, lastAttemptAt: BEGIN + 1_000 });
  const shown = { delivered: 4, failed: 0, lastOutcome: 'delivered', lastAttemptAt: BEGIN + 4_000, lagMillis: 1_500 };
  expect(await figures()).toEqual(shown);
  expect(await listSubscriptions(ctx)).toMatchObject([shown]);
  expect(await hours()).toEqual({ 0: 4 });
});

test('the first delivery after these 17 minutes counts the others in the row and for their hour', async () => {
  const { send, row, figures, hours, added } = await webhook();
  for (const at of [BEGIN, BEGIN + 1_000, BEGIN + 2_000, BEGIN + WINDOW_MS]) await send(at);
  expect(await row()).toMatchObject({ delivered: 4, countedUntilId: firstUuidAt(BEGIN + WINDOW_MS) });
  expect(await added()).toMatchObject([{ hourAt: HOUR_AT, count: 2 }]);
  expect(await figures()).toMatchObject({ delivered: 4, lastAttemptAt: BEGIN + WINDOW_MS + 1_000 });
  expect(await hours()).toEqual({ 0: 4 });
});

test('each delivery counts once, even if fifty runs that read the same row end at once', async () => {
  const { claim, write, figures, hours } = await webhook();
  await write([await claim(BEGIN)]);
  const windows = [0, WINDOW_MS];
  const places = Array.from({ length: 50 }, (_, i) => BEGIN + 1 + i);
  const claims = await Promise.all(windows.flatMap((window) => places.map((at) => claim(at + window))));
  await Promise.all(claims.slice(0, 50).map((one) => write([one])));
  await Promise.all(claims.slice(50).map((one) => write([one])));
  expect(await figures()).toMatchObject({ delivered: 101 });
  expect(await hours()).toEqual({ 0: 101 });
});

test.each([
  ['before its commit', false, 2],
  ['after its commit', true, 3],
])('each delivery counts once if the run that counts them dies %s', async (_, isCommitted, delivered) => {
  const { claim, write, send, figures, hours } = await webhook();
  await send(BEGIN);
  await send(BEGIN + 1);
  const dying = d1Around(database.d1, async (work) => {
    if (isCommitted) await work();
    throw new Error('dead');
  });
  const last = await claim(BEGIN + WINDOW_MS);
  await expect(write([last], {}, dying)).rejects.toThrow();
  expect(await figures()).toMatchObject({ delivered });
  expect(await hours()).toEqual({ 0: delivered });
  if (!isCommitted) await write([last]);
  expect(await figures()).toMatchObject({ delivered: 3 });
  expect(await hours()).toEqual({ 0: 3 });
});

type Own = Awaited<ReturnType<typeof webhook>>;
const ROW_WRITERS: Record<string, [Partial<Subscription>, (own: Own) => Promise<unknown>]> = {
  fails: [
    { failed: 1, delivered: 2 },
    async ({ send, change }) => {
      await change({ retryEnabled: false });
      await send(BEGIN + 9, { outcome: 'status_500' });
    },
  ],
  'is of an event before these 17 minutes': [{ delivered: 3 }, ({ send }) => send(BEGIN - 1)],
  'is of an event before them, but in the same 17 minutes': [{ delivered: 3 }, ({ send }) => send(BEGIN)],
  'is resent': [{ delivered: 3 }, ({ send }) => send(BEGIN + 2)],
  'ends a failure': [
    { delivered: 3, failingSinceAt: null },
    async ({ send, change }) => {
      await change({ failingSinceAt: 1 });
      await send(BEGIN + 9);
    },
  ],
  'ends after a later one has failed': [
    { delivered: 3, failingSinceAt: null },
    async ({ claim, write, send }) => {
      const claimed = await claim(BEGIN + 3);
      await send(BEGIN + 9, { outcome: 'status_500' });
      await write([claimed]);
    },
  ],
  'ends after an earlier one has failed': [
    { delivered: 4, failingSinceAt: null },
    async ({ claim, write, send }) => {
      await send(BEGIN - 1);
      const claimed = await claim(BEGIN + 3);
      await send(BEGIN, { outcome: 'status_500' });
      await write([claimed]);
    },
  ],
  'ends after a delivery of the next 17 minutes': [
    { delivered: 4 },
    async ({ claim, write, send }) => {
      const claimed = await claim(BEGIN + 3);
      await send(BEGIN + WINDOW_MS);
      await write([claimed]);
    },
  ],
  'is written with ten others': [
    { delivered: 13 },
    async ({ claim, write }) => {
      const claims: ClaimedDelivery[] = [];
      for (let i = 0; i < 11; i++) claims.push(await claim(BEGIN + 9 + i));
      await write(claims);
    },
  ],
};
test.each(Object.entries(ROW_WRITERS))(
  'a delivery that %s writes the row, which then counts all',
  async (_, [expected, act]) => {
    const own = await webhook();
    await own.send(BEGIN + 1);
    await own.send(BEGIN + 2);
    await act(own);
    expect(await own.row()).toMatchObject(expected);
    expect(await own.figures()).toMatchObject({ delivered: expected.delivered });
    expect(await own.hours()).toEqual({ 0: expected.delivered });
  },
);

test('a delivery counts for the hour of its attempt', async () => {
  const { send, hours, added } = await webhook();
  await send(BEGIN);
  await send(BEGIN + 1, { at: HOUR_AT + HOUR_MS - 1 });
  await send(BEGIN + 2, { at: HOUR_AT + HOUR_MS });
  expect(await hours()).toEqual({ 0: 2, 1: 1 });
  await send(BEGIN + WINDOW_MS, { at: HOUR_AT + 2 * HOUR_MS });
  expect(await hours()).toEqual({ 0: 2, 1: 1, 2: 1 });
  expect((await added()).map(({ hourAt, count }) => [(hourAt - HOUR_AT) / HOUR_MS, count])).toEqual([
    [0, 2],
    [1, 1],
  ]);
});

test('deliveries that an earlier release has counted don’t count again', async () => {
  const { send, change, claim, figures, hours } = await webhook();
  await send(BEGIN);
  const { event } = await claim(BEGIN + 1);
  await database.look
    .update(webhookDeliveries)
    .set({
      state: 'delivered',
      nextAttemptAt: null,
      attempts: [{ at: BEGIN + 2, outcome: 'delivered', durationMs: 1 }],
    })
    .where(eq(webhookDeliveries.eventId, event.id));
  await change({ delivered: 2, uncounted: { [`webhook_delivered ${HOUR_AT}`]: 2 } });
  await send(BEGIN + 3);
  await send(BEGIN + WINDOW_MS);
  expect(await figures()).toMatchObject({ delivered: 4 });
  expect(await hours()).toEqual({ 0: 4 });
});

test('a webhook that was never counted by this release begins with its next delivery', async () => {
  const { send, change, row } = await webhook();
  await change({ delivered: 7, lastOutcome: 'delivered' });
  await send(BEGIN);
  expect(await row()).toMatchObject({ delivered: 8, countedUntilId: firstUuidAt(BEGIN) });
});

test('the counts of a webhook that is deleted stay, and what ends afterwards doesn’t count', async () => {
  const { ctx, id, send, claim, write, added } = await webhook();
  await send(BEGIN);
  await send(BEGIN + 1);
  const late = await claim(BEGIN + 2);
  await deleteSubscription(ctx, id);
  await write([late]);
  const counts = await added();
  expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(2);
});

test('a webhook that is resumed shows all deliveries', async () => {
  const { ctx, id, send, change } = await webhook();
  await send(BEGIN);
  await send(BEGIN + 1);
  await change({ status: 'paused' });
  expect(await resumeSubscription(ctx, id)).toMatchObject({ delivered: 2, lastAttemptAt: BEGIN + 1_001 });
  const renewed = await subscribe(ctx, { target_url, event: 'pass_created' });
  expect(renewed.subscription).toMatchObject({ id, delivered: 2, lastAttemptAt: BEGIN + 1_001 });
});

test('deliveries are counted before they are deleted after 30 days, and others stay deferred', async () => {
  const { ctx, send, row, figures, hours } = await webhook();
  const other = await webhook();
  for (const place of [0, 1, 2]) await send(BEGIN + place);
  const now = BEGIN + WINDOW_MS + DELIVERY_RETENTION_DAYS * 24 * HOUR_MS;
  await other.send(BEGIN);
  for (const place of [0, 1]) await other.send(now + place);
  const before = await figures();
  await Promise.all([purgeDeliveries(ctx, now), purgeDeliveries(ctx, now)]);
  expect(
    await database.look
      .select()
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.eventId, firstUuidAt(BEGIN + 1))),
  ).toEqual([]);
  expect(await row()).toMatchObject(before);
  expect(await figures()).toEqual(before);
  expect(await hours()).toEqual({ 0: 3 });
  expect([(await other.row()).delivered, (await other.figures()).delivered]).toEqual([2, 3]);
});

test('replies don’t show how a delivery is counted', async () => {
  const { id, send } = await webhook();
  await send(BEGIN);
  await send(BEGIN + 1);
  const rows = await database.look.select().from(webhookDeliveries).where(eq(webhookDeliveries.subscriptionId, id));
  expect(rows.map(({ attempts }) => attempts[0]!.lagMs)).toEqual([undefined, 1_500]);
  const members = rows.map((row) => Object.keys(deliveryView(row).attempts[0]!));
  expect(members[1]).toEqual(members[0]);
});
