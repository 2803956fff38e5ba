import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { addCounts, hourOf } from '../../../src/domain/statistics/count-events.ts';
import { countsQuery, getStatistics } from '../../../src/domain/statistics/get-statistics.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

const HOUR_MS = 3_600_000;
const BEGIN = Date.UTC(2030, 0, 1);

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

async function happen(ctx: AccountContext, metric: string, ...times: number[]): Promise<void> {
  const hours = JSON.stringify(times.map(hourOf));
  await addCounts(
    ctx,
    sql`select ${ctx.account.id}, ${metric}, value, count(*) from json_each(${hours}) where true group by value`,
  );
}

describe('immediate counts', () => {
  test('add up by account, metric and hour, even if fifty are simultaneous', async () => {
    const [ctx, other] = [await database.accountContext(), await database.accountContext()];
    await Promise.all(Array.from({ length: 50 }, () => happen(ctx, 'webhook_delivered', BEGIN, BEGIN + HOUR_MS - 1)));
    await happen(ctx, 'webhook_delivered', BEGIN + HOUR_MS);
    await happen(other, 'webhook_delivered', BEGIN);
    expect(await countsQuery(ctx, ['webhook_delivered', 'webhook_failed'], BEGIN, BEGIN + HOUR_MS)).toEqual([
      { metric: 'webhook_delivered', hourAt: BEGIN, count: 100 },
      { metric: 'webhook_delivered', hourAt: BEGIN + HOUR_MS, count: 1 },
    ]);
  });
});

test('statistics read only the requested hours and kinds, whatever else was counted', async () => {
  const ctx = await database.accountContext();
  const hours = Array.from({ length: 500 }, (_, i) => BEGIN + i * HOUR_MS);
  for (const metric of ['pass_created', 'pass_deleted', 'pass_voided']) await happen(ctx, metric, ...hours);
  const look = { ...database.context(), account: ctx.account };
  const before = { ...look.meter };
  const { counts } = await getStatistics(look, ['pass_created', 'pass_deleted'], hours[100]!, hours[123]!);
  expect(counts).toHaveLength(2 * 24);
  expect(look.meter.roundTrips - before.roundTrips).toBe(1);
  expect(look.meter.rowsRead - before.rowsRead).toBeLessThanOrEqual(2 * 24 + 10);
});
