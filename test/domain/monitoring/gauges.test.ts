import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listEnding } from '../../../src/domain/monitoring/ending-certificates.ts';
import { COUNTED_MAX, type Measurement } from '../../../src/domain/monitoring/gauges.ts';
import { getServiceStatus } from '../../../src/domain/monitoring/get-service-status.ts';
import { growthOf } from '../../../src/domain/monitoring/samples.ts';
import { watchService } from '../../../src/domain/monitoring/watch-service.ts';
import { suspendAccount } from '../../../src/domain/suspension/suspend-account.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 10, 23, 9);

let database: LocalDatabase;
let accountId: string;

beforeAll(async () => {
  database = await openLocalDatabase();
});
beforeEach(async () => {
  const tables = [
    'accounts',
    'account_events',
    'certificates',
    'counted_events',
    'requested_pushes',
    'service_samples',
  ].concat([...['event_deliveries', 'webhook_subscriptions']]);
  await database.d1.batch(tables.map((table) => database.d1.prepare(`delete from ${table}`)));
  accountId = (await database.accountContext()).account.id;
});
afterAll(() => database.close());

const run = (statement: string, ...params: unknown[]) =>
  database.d1
    .prepare(statement)
    .bind(...params)
    .all();

/** Adds rows of pushes that have waited for up to this many minutes. */
const addPushes = (count: number, minutes: number, prefix: string) =>
  run(
    `insert into requested_pushes (pass_id, wallet, account_id, requested_at, due_at, attempts)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
      select ?2 || i, 'apple', ?3, ?4 + i, ?4, 0 from n`,
    count,
    prefix,
    accountId,
    NOW - minutes * MINUTE_MS,
  );

async function measured(): Promise<{ now: Measurement; rowsRead: number; roundTrips: number }> {
  const ctx = database.context();
  const { now } = await getServiceStatus(ctx, NOW);
  return { now, rowsRead: ctx.meter.rowsRead, roundTrips: ctx.meter.roundTrips };
}

describe('measuring', () => {
  test('reads next to nothing of an idle service, in one round trip', async () => {
    const { now, rowsRead, roundTrips } = await measured();
    expect([roundTrips, rowsRead]).toEqual([1, expect.toSatisfy((rows: number) => rows <= 25)]);
    expect(Object.values(now.backlog).map(({ waiting, oldestMs }) => [waiting, oldestMs])).toEqual(
      Object.values(now.backlog).map(() => [0, null]),
    );
    expect(now.databaseBytes).toBeGreaterThan(100_000);
  });

  test('costs the same beyond the maximum number of rows that it counts', async () => {
    await addPushes(COUNTED_MAX + 2_000, 20, 'a');
    const first = await measured();
    expect(first.now.backlog.pushes).toEqual({ waiting: COUNTED_MAX, hasMore: true, oldestMs: 20 * MINUTE_MS - 1 });
    await addPushes(20_000, 10, 'b');
    const second = await measured();
    expect(second.rowsRead).toBe(first.rowsRead);
    expect(second.now.backlog.pushes).toEqual(first.now.backlog.pushes);
  });

  test('omits what waits because its account is suspended', async () => {
    await addPushes(3, 20, 'a');
    await suspendAccount(database.context(), accountId);
    expect((await measured()).now.backlog.pushes).toEqual({ waiting: 0, hasMore: false, oldestMs: null });
  });

  test('costs the cron two round trips in a minute without alerts', async () => {
    const ctx = database.context();
    await watchService(ctx, [], NOW);
    expect(ctx.meter.roundTrips).toBe(2);
    expect(ctx.meter.rowsWritten).toBeLessThanOrEqual(4);
  });
});

describe('the lag of webhooks', () => {
  const addWebhook = async (id: string, { failingSince = null as number | null, dueAt = 0, status = 'active' }) => {
    await run(
      `insert into webhook_subscriptions (id, account_id, event, target_url, retry_enabled, sign_payload, secret_sealed,
        status, failing_since_at, last_outcome, created_at)
        values (?, ?, 'pass_created', ?, 1, 0, '', ?, ?, 'status_500', 0)`,
      id,
      accountId,
      `https://user:word@${id}.example.com/hook?token=secret`,
      status,
      failingSince,
    );
    await run(
      `insert into event_deliveries (subscription_id, event_id, state, next_attempt_at, attempt_count, attempts, created_at)
        values (?, 'event', 'waiting', ?, 0, '[]', 0)`,
      id,
      dueAt,
    );
  };

  test('only includes working endpoints', async () => {
    await addWebhook('later', { dueAt: NOW + HOUR_MS });
    await addWebhook('failing', { failingSince: NOW - HOUR_MS, dueAt: NOW - HOUR_MS });
    await addWebhook('paused', { failingSince: NOW - HOUR_MS, dueAt: NOW - HOUR_MS, status: 'paused' });
    expect((await measured()).now.webhookLagMs).toBe(0);
    await addWebhook('late', { dueAt: NOW - 3 * MINUTE_MS });
    expect((await measured()).now).toMatchObject({
      webhookLagMs: 3 * MINUTE_MS,
      backlog: { deliveries: { waiting: 4, oldestMs: null } },
    });
  });

  test('omits a suspended account, whose deliveries wait on purpose', async () => {
    await addWebhook('late', { dueAt: NOW - HOUR_MS });
    await suspendAccount(database.context(), accountId);
    expect((await measured()).now.webhookLagMs).toBe(0);
  });

  test('starts with events that have no deliveries yet', async () => {
    await run(
      `insert into account_events (id, account_id, type, body, created_at, pending) values ('e', ?, 'pass_created', '{}', ?, 1)`,
      accountId,
      NOW - 4 * MINUTE_MS,
    );
    expect((await measured()).now).toMatchObject({
      webhookLagMs: 4 * MINUTE_MS,
      backlog: { events: { waiting: 1, oldestMs: 4 * MINUTE_MS } },
    });
  });

  test('lists failing endpoints, without possible secrets in their URLs', async () => {
    await addWebhook('failing', { failingSince: NOW - HOUR_MS, dueAt: NOW });
    await addWebhook('paused', { failingSince: NOW - HOUR_MS, dueAt: NOW, status: 'paused' });
    expect((await measured()).now.failingEndpoints).toEqual({
      count: 1,
      hasMore: false,
      longest: [
        {
          subscriptionId: 'failing',
          accountId,
          accountName: 'Test account',
          event: 'pass_created',
          origin: 'https://failing.example.com',
          failingSince: NOW - HOUR_MS,
          lastOutcome: 'status_500',
        },
      ],
    });
  });
});

/** Adds a certificate that expires in this many days. */
const addCertificate = (id: string, passTypeId: string, days: number) =>
  run(
    `insert into certificates (id, account_id, pass_type_id, team_id, certificate_pem, intermediate_pem, private_key_sealed,
      development, valid_from, valid_to, created_at) values (?, ?, ?, 'T', '', '', '', 0, 0, ?, 0)`,
    id,
    accountId,
    passTypeId,
    NOW + days * DAY_MS,
  );

test('signing certificates are listed, the one that expires first at the top', async () => {
  await addCertificate('ended long ago', 'pass.a', -31);
  await addCertificate('replaced', 'pass.b', 3);
  await addCertificate('renewed', 'pass.b', 300);
  await addCertificate('ends soon', 'pass.c', 5);
  const { certificates } = (await measured()).now;
  expect(certificates.map(({ id }) => id)).toEqual(['ends soon', 'renewed']);
});

test('120 replaced certificates that expire earlier hide none that expires', async () => {
  for (let i = 0; i < 120; i++) {
    await addCertificate(`replaced ${i}`, `pass.${i}`, 3);
    await addCertificate(`renewed ${i}`, `pass.${i}`, 300);
  }
  await addCertificate('ends soon', 'pass.c', 5);
  const { certificates } = (await measured()).now;
  expect(certificates[0]).toMatchObject({ id: 'ends soon', validTo: NOW + 5 * DAY_MS });
  expect(certificates).toHaveLength(20);
});

test('160 expired and development certificates hide none that expires: it is counted, and listed in pages', async () => {
  for (let i = 0; i < 130; i++) await addCertificate(`expired ${i}`, `pass.${i}`, -1 - (i % 3));
  for (let i = 0; i < 30; i++) await addCertificate(`development ${i}`, `pass.development.${i}`, 1);
  await run("update certificates set development = 1 where id like 'development %'");
  await addCertificate('ends soon', 'pass.c', 5);
  await addCertificate('ends later', 'pass.d', 29);
  const { certificates, ending } = (await measured()).now;
  expect([certificates.length, ending]).toEqual([20, { 7: 131, 30: 132 }]);
  const listed = async (days: 7 | 30) => (await listEnding(database.context(), days, NOW)).map(({ id }) => id);
  expect([(await listed(7)).length, (await listed(7)).at(-1)]).toEqual([131, 'ends soon']);
  expect([new Set(await listed(30)).size, (await listed(30)).at(-1)]).toEqual([132, 'ends later']);
});

describe('samples', () => {
  const samples = async (period: string) =>
    (
      await run('select starts_at, gauges from service_samples where period = ? order by starts_at', period)
    ).results.map(({ starts_at, gauges }) => ({ at: Number(starts_at), gauges: JSON.parse(String(gauges)) }));

  test('contain the highest values of an hour and the last ones of a day', async () => {
    await addPushes(5, 1, 'a');
    await watchService(database.context(), [], NOW);
    await run('delete from requested_pushes');
    await watchService(database.context(), [], NOW + MINUTE_MS);
    expect(await samples('hour')).toMatchObject([{ at: NOW, gauges: { pushes: 5 } }]);
    expect(await samples('day')).toMatchObject([{ at: NOW - (NOW % DAY_MS), gauges: { pushes: 0 } }]);
  });

  test('are kept for 14 days by hour, and for 400 by day', async () => {
    for (const days of [0, 13, 15, 399, 402]) await watchService(database.context(), [], NOW + days * DAY_MS);
    const daysOf = async (period: string) => (await samples(period)).map(({ at }) => Math.round((at - NOW) / DAY_MS));
    expect(await daysOf('hour')).toEqual([399, 402]);
    expect(await daysOf('day')).toEqual([13, 15, 399, 402]);
  });

  test('show the growth per day, once they cover half a day', () => {
    const of = (hours: number, databaseBytes: number) => ({
      period: 'day' as const,
      startsAt: 0,
      measuredAt: NOW - hours * HOUR_MS,
      gauges: { databaseBytes },
    });
    expect(growthOf([], NOW)).toBeUndefined();
    expect(growthOf([of(6, 1), of(0, 2)], NOW)).toBeUndefined();
    expect(growthOf([of(40 * 24, 0), of(48, 1_000), of(24, 4_000), of(0, 5_000)], NOW)).toBe(2_000);
  });

  test('show the growth of each database, from the first day with a known size', async () => {
    const other = { ...(await measured()).now, bytesOf: { DB_1: 7_000 } };
    const insert = "insert into databases (name, is_open, added_at, measured) values ('DB_1', 1, ?, ?)";
    await run(insert, NOW, JSON.stringify(other));
    await watchService(database.context(), [], NOW);
    await run('delete from databases');
    const [day] = await samples('day');
    expect(day!.gauges['bytes of DB_1']).toBe(7_000);
    const before = { period: 'day' as const, startsAt: 0, measuredAt: NOW - 24 * HOUR_MS };
    const known = { ...before, gauges: { 'bytes of DB_1': 5_000 } };
    const last = { ...before, measuredAt: NOW, gauges: day!.gauges };
    expect(growthOf([{ ...before, gauges: {} }, known, last], NOW, 'DB_1')).toBe(2_000);
    expect(growthOf([{ ...before, gauges: {} }, last], NOW, 'DB_1')).toBeUndefined();
  });
});
