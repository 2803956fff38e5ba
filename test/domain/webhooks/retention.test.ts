import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { EVENT_RETENTION_DAYS, purgeEvents } from '../../../src/domain/events/purge-events.ts';
import { deliver } from '../../../src/domain/webhooks/deliver.ts';
import { DELIVERY_RETENTION_DAYS, purgeDeliveries } from '../../../src/domain/webhooks/purge-deliveries.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { firstUuidAt } from '../../../src/platform/ids.ts';
import { queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

const DAY_MS = 24 * 3_600_000;
const NOW = Date.UTC(2027, 0, 31);
const ROWS = 2_500;

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = await database.accountContext();
  for (const day of [40, 31, 29, 1]) {
    const at = NOW - day * DAY_MS;
    await database.d1
      .prepare(
        `insert into account_events (id, account_id, type, body, created_at, pending) with recursive numbers(value) as
          (select 1 union all select value + 1 from numbers where value < ${ROWS})
         select '${firstUuidAt(at).slice(0, 24)}' || printf('%012x', value), 'account', 'pass_created', '{}', ${at}, case when value = 1 then 1 end from numbers`,
      )
      .run();
    await database.d1
      .prepare(
        `insert into event_deliveries (subscription_id, event_id, state, attempt_count, attempts, created_at)
         select 'subscription', id, 'delivered', 1, '[]', created_at from account_events where created_at = ${at}`,
      )
      .run();
  }
});
afterAll(() => database?.close());

const daysIn = async (table: string) => {
  const { results } = await database.d1
    .prepare(`select created_at as at, count(*) as n from ${table} group by 1 order by 1`)
    .all<{ at: number; n: number }>();
  return Object.fromEntries(results.map(({ at, n }) => [(NOW - at) / DAY_MS, n]));
};

test('deliveries are kept for 30 days after their event', async () => {
  expect(DELIVERY_RETENTION_DAYS).toBe(30);
  await purgeDeliveries(ctx, NOW);
  expect(await daysIn('event_deliveries')).toEqual({ 29: ROWS, 1: ROWS });
});

test('a resent delivery is kept longer until it has been attempted', async () => {
  const at = NOW - 40 * DAY_MS;
  // `uuidv7` never goes back in time.
  const [resent, left] = [firstUuidAt(at), firstUuidAt(at + 1)];
  await database.d1
    .prepare(
      `insert into event_deliveries (subscription_id, event_id, state, next_attempt_at, attempt_count, attempts, created_at)
       values ('subscription', '${resent}', 'waiting', ${NOW - 1_000}, 1, '[]', ${at}),
              ('subscription', '${left}', 'waiting', ${at}, 1, '[]', ${at})`,
    )
    .run();
  await purgeDeliveries(ctx, NOW);
  expect(await daysIn('event_deliveries')).toEqual({ 40: 1, 29: ROWS, 1: ROWS });
  await database.d1.prepare(`update event_deliveries set next_attempt_at = null where event_id = '${resent}'`).run();
  await purgeDeliveries(ctx, NOW);
  expect(await daysIn('event_deliveries')).toEqual({ 29: ROWS, 1: ROWS });
});

test('events are kept for 32 days, and longer while a delivery is pending', async () => {
  expect(EVENT_RETENTION_DAYS).toBe(32);
  await purgeEvents(ctx, NOW);
  expect(await daysIn('account_events')).toEqual({ 40: 1, 31: ROWS, 29: ROWS, 1: ROWS });
  await database.d1.prepare('update account_events set pending = null').run();
  await purgeEvents(ctx, NOW);
  expect(await daysIn('account_events')).toEqual({ 31: ROWS, 29: ROWS, 1: ROWS });
});

test('a minute without due rows reads a handful of rows, however many there are', async () => {
  const context = { ...ctx, ...database.context() };
  await purgeDeliveries(context as AccountContext, NOW);
  await purgeEvents(context as AccountContext, NOW);
  expect(context.meter.rowsRead).toBeLessThanOrEqual(15);
});

test('a delivery that waits for its next attempt ends once its event is no longer kept', async () => {
  const context = { ...ctx, ...database.context() };
  Object.assign(context, { env: { ...context.env, WEBHOOKS: queueTo() } });
  const { subscription } = await subscribe(context, { target_url: 'https://a.example.com', event: 'pass_created' });
  await database.d1
    .prepare(
      `insert into event_deliveries (subscription_id, event_id, state, next_attempt_at, attempt_count, attempts, created_at)
       values (?, 'purged', 'waiting', 1, 1, '[]', 1)`,
    )
    .bind(subscription.id)
    .run();
  await deliver(context, [
    { type: 'deliver-webhooks', accountId: context.account.id, subscriptionId: subscription.id },
  ]);
  const { results } = await database.d1
    .prepare("select state, next_attempt_at as due from event_deliveries where event_id = 'purged'")
    .all();
  expect(results).toEqual([{ state: 'failed', due: null }]);
});
