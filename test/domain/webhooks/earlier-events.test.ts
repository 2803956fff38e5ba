import { afterAll, beforeEach, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { purgeEarlierEvents } from '../../../src/domain/events/purge-events.ts';
import { earlierEvents, events } from '../../../src/domain/events/table.ts';
import { countEvents } from '../../../src/domain/statistics/count-events.ts';
import { hourlyCounts } from '../../../src/domain/statistics/table.ts';
import { claimDue } from '../../../src/domain/webhooks/claim.ts';
import { fanOut } from '../../../src/domain/webhooks/fan-out.ts';
import { listPayloads } from '../../../src/domain/webhooks/pull-payloads.ts';
import { continueRecovery, recoverEvents } from '../../../src/domain/webhooks/recover-events.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { webhookDeliveries, webhookPayloads } from '../../../src/domain/webhooks/table.ts';
import { firstUuidAt, uuidv7 } from '../../../src/platform/ids.ts';
import { jobQueues, queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

/* Events stored by releases before 0.2.0 are still displayed everywhere. */

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 10, 20);

let database: LocalDatabase;
let ctx: AccountContext;
beforeEach(async () => {
  await database?.close();
  database = openMemoryDatabase();
  const account = await database.accountContext();
  ctx = { ...account, env: { ...account.env, ...jobQueues(), WEBHOOKS: queueTo() } };
});
afterAll(() => database.close());

const body = { uniqueIdentifier: 'u', name: 'A', noOfActivePasses: 0, noOfCreatedPasses: 0 };

let number = 0;
const idAt = (at: number) => `${firstUuidAt(at).slice(0, 24)}${String(++number).padStart(12, '0')}`;

async function earlier(at: number, pending: true | null = null): Promise<string> {
  const id = idAt(at);
  const row = { id, accountId: ctx.account.id, type: 'pass_template_created', body, createdAt: at, pending } as const;
  await database.look.insert(earlierEvents).values(row);
  return id;
}

const hook = async (pullMode = false) => {
  const target = pullMode ? { pullMode } : { target_url: 'https://receiver.example.com/' };
  return (await subscribe(ctx, { ...target, event: 'pass_template_created' })).subscription;
};

test('one that awaits its deliveries gets them in the order of commits, and is counted once', async () => {
  const { id } = await hook(true);
  const first = await earlier(NOW, true);
  const second = await earlier(NOW - HOUR_MS, true);
  const settled = await earlier(NOW - 2 * HOUR_MS);
  await countEvents(database.context(), NOW + HOUR_MS);
  await countEvents(database.context(), NOW + HOUR_MS);
  await fanOut(database.context());
  const payloads = await database.look.select().from(webhookPayloads).orderBy(webhookPayloads.sequence);
  expect(payloads.map(({ eventId, subscriptionId }) => [eventId, subscriptionId])).toEqual([
    [first, id],
    [second, id],
  ]);
  const counts = await database.look.select().from(hourlyCounts);
  expect(counts.map(({ count }) => count)).toEqual([1, 1, 1]);
  expect((await database.look.select().from(events)).map((event) => event.id).sort()).toContain(settled);
});

test('one stored after the counts have passed it is counted, and no other is counted again', async () => {
  await earlier(NOW - HOUR_MS);
  await countEvents(database.context(), NOW);
  await earlier(NOW);
  await countEvents(database.context(), NOW + HOUR_MS);
  const counts = await database.look.select().from(hourlyCounts);
  expect(counts.map(({ count }) => count)).toEqual([1, 1]);
});

test('a delivery and a payload of one have its body', async () => {
  const push = await hook();
  const pull = await hook(true);
  const eventId = await earlier(NOW);
  await database.look.insert(webhookDeliveries).values({
    ...{ subscriptionId: push.id, eventId, state: 'waiting', nextAttemptAt: 1, attemptCount: 0, attempts: [] },
    createdAt: 1,
  });
  await database.look.insert(webhookPayloads).values({
    ...{ id: uuidv7(), accountId: ctx.account.id, subscriptionId: pull.id, eventId, type: 'pass_template_created' },
    triggeredAt: NOW,
  });
  const { claimed } = await claimDue(ctx, push, 50);
  expect(claimed.map(({ event }) => [event.id, JSON.parse(event.body)])).toEqual([[eventId, body]]);
  const { payloads } = await listPayloads(ctx, { limit: 10 });
  expect(payloads.map((payload) => payload.body)).toEqual([body]);
});

test('a recovery finds those of both tables, in pages', async () => {
  const { id } = await hook();
  const old = await Promise.all(Array.from({ length: 3 }, (_, i) => earlier(NOW + i * 1_000)));
  const newer = idAt(NOW + 500);
  await database.look
    .insert(events)
    .values({ id: newer, accountId: ctx.account.id, type: 'pass_template_created', body, createdAt: NOW + 500 });
  await recoverEvents(ctx, id, { sinceAt: NOW, untilAt: NOW + 1_000 });
  await continueRecovery(ctx, { accountId: ctx.account.id, subscriptionId: id });
  const made = await database.look.select().from(webhookDeliveries);
  expect(made.map(({ eventId }) => eventId).sort()).toEqual([old[0], newer, old[1]].sort());
});

test('they are deleted after 32 days, except those that await their deliveries', async () => {
  const at = NOW - 33 * 24 * HOUR_MS;
  const waiting = await earlier(at, true);
  await earlier(at);
  const young = await earlier(NOW);
  await purgeEarlierEvents(database.context(), NOW);
  const left = await database.look.select().from(earlierEvents);
  expect(left.map((event) => event.id).sort()).toEqual([waiting, young].sort());
});
