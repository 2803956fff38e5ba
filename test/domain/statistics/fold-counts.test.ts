import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { DAILY_COUNTS_DAYS, foldCounts, HOURLY_COUNTS_DAYS } from '../../../src/domain/statistics/fold-counts.ts';
import { getStatistics } from '../../../src/domain/statistics/get-statistics.ts';
import { dailyCounts, hourlyCounts } from '../../../src/domain/statistics/table.ts';
import { bucketed, readRange } from '../../../src/pages/console/statistics/range.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 2030-07-01 in UTC; in New York the day is 04:00 to 04:00. */
const BEGIN = Date.UTC(2030, 6, 1);
const FOLDED = BEGIN + (HOURLY_COUNTS_DAYS + 30) * DAY_MS;
/** When it is no longer known which days are folded. */
const LATER = BEGIN + 10_000 * DAY_MS;
const METRICS = ['pass_created', 'pass_deleted'];

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
beforeEach(async () => {
  await database.look.batch([database.look.delete(hourlyCounts), database.look.delete(dailyCounts)]);
});
afterAll(() => database.close());

/** Counts one event per hour, starting at `BEGIN`. */
async function count(ctx: AccountContext, metric: string, hours: number): Promise<void> {
  await database.d1
    .prepare(
      `insert into hourly_counts with recursive hours(n) as (select 0 union all select n + 1 from hours where n < ? - 1)
       select ?, ?, ? + n * ${HOUR_MS}, 1 from hours`,
    )
    .bind(hours, ctx.account.id, metric, BEGIN)
    .run();
}

/** Returns a metric's chart for two weeks in July. */
async function chart(ctx: AccountContext, metric: string, now: number, to = '2030-07-14'): Promise<number[]> {
  const range = readRange({ range: 'custom', from: '2030-07-01', to }, ctx.account.timezone, now);
  const { counts } = await getStatistics(ctx, METRICS, range.buckets[0]!.from, range.to - 1, LATER);
  return bucketed(
    range,
    counts.filter((one) => one.metric === metric),
  );
}

const hoursLeft = () => database.look.$count(hourlyCounts);
const daysKept = () => database.look.$count(dailyCounts);

describe('old counts', () => {
  test.each(['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia'])(
    'are folded into days of %s, and daily charts do not change',
    async (timezone) => {
      const ctx = await database.accountContext(timezone);
      for (const metric of METRICS) await count(ctx, metric, 10 * 24);
      const before = await chart(ctx, 'pass_created', BEGIN);
      expect(before.reduce((sum, one) => sum + one)).toBeGreaterThan(9 * 24);
      await foldCounts(database.context(), FOLDED);
      expect(await hoursLeft()).toBe(0);
      expect(await daysKept()).toBeLessThanOrEqual(2 * 11);
      expect(await chart(ctx, 'pass_created', BEGIN)).toEqual(before);
    },
  );

  test('stay hours for a hundred days, which is longer than a chart', async () => {
    const ctx = await database.accountContext();
    await count(ctx, 'pass_created', 48);
    await foldCounts(database.context(), BEGIN + 100 * DAY_MS);
    expect(await hoursLeft()).toBe(48);
    await foldCounts(database.context(), BEGIN + 101 * DAY_MS);
    expect(await hoursLeft()).toBe(24);
    expect(await chart(ctx, 'pass_created', BEGIN, '2030-07-03')).toEqual([24, 24, 0]);
  });

  test('are shown by day even if few days are shown by hour', async () => {
    const ctx = await database.accountContext();
    await count(ctx, 'pass_created', 48);
    expect(await chart(ctx, 'pass_created', BEGIN + 2 * DAY_MS, '2030-07-02')).toHaveLength(48);
    await foldCounts(database.context(), FOLDED);
    expect(await chart(ctx, 'pass_created', FOLDED, '2030-07-02')).toEqual([24, 24]);
  });

  test('are folded once, however many crons run', async () => {
    const [ctx, other] = [await database.accountContext(), await database.accountContext('Europe/Vienna')];
    await count(ctx, 'pass_created', 60 * 24);
    await count(other, 'pass_created', 60 * 24);
    await Promise.all(Array.from({ length: 5 }, () => foldCounts(database.context(), FOLDED + 40 * DAY_MS)));
    expect(await hoursLeft()).toBe(0);
    const rows = await database.look.select().from(dailyCounts);
    expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(2 * 60 * 24);
  });

  test('are added to a partly folded day', async () => {
    const ctx = await database.accountContext();
    await count(ctx, 'pass_created', 24);
    await foldCounts(database.context(), BEGIN + 100 * DAY_MS + 12 * HOUR_MS);
    expect(await hoursLeft()).toBe(12);
    expect((await chart(ctx, 'pass_created', BEGIN))[0]).toBe(24);
    await foldCounts(database.context(), FOLDED);
    expect(await database.look.select().from(dailyCounts)).toMatchObject([{ dayAt: BEGIN, count: 24 }]);
  });

  test('are deleted after three years', async () => {
    const ctx = await database.accountContext();
    await count(ctx, 'pass_created', 48);
    await foldCounts(database.context(), FOLDED);
    await foldCounts(database.context(), BEGIN + DAILY_COUNTS_DAYS * DAY_MS);
    expect(await daysKept()).toBe(2);
    await foldCounts(database.context(), BEGIN + (DAILY_COUNTS_DAYS + 1) * DAY_MS);
    expect(await daysKept()).toBe(1);
    expect(DAILY_COUNTS_DAYS).toBeGreaterThan(3 * 365);
  });

  test('cost next to nothing while the oldest one is recent', async () => {
    const ctx = await database.accountContext();
    await count(ctx, 'pass_created', 2_000);
    const quiet = database.context();
    await foldCounts(quiet, BEGIN + 10 * DAY_MS);
    expect(quiet.meter).toMatchObject({ rowsWritten: 0 });
    expect(quiet.meter.rowsRead).toBeLessThanOrEqual(4);
  });
});
