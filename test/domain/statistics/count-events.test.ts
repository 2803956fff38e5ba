import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { events } from '../../../src/domain/events/table.ts';
import { countEvents } from '../../../src/domain/statistics/count-events.ts';
import { countsQuery } from '../../../src/domain/statistics/get-statistics.ts';
import { countedEvents, hourlyCounts } from '../../../src/domain/statistics/table.ts';
import { firstUuidAt } from '../../../src/platform/ids.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

const HOUR_MS = 3_600_000;
const BEGIN = Date.UTC(2030, 0, 1);

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = await openLocalDatabase();
});
beforeEach(async () => {
  ctx = await database.accountContext();
  await database.look.batch([
    database.look.delete(events),
    database.look.delete(hourlyCounts),
    database.look.delete(countedEvents),
  ]);
});
afterAll(() => database.close());

let number = 0;
async function happen(of: AccountContext, type: string, at: number, times: number, body: object = {}): Promise<void> {
  const rows = Array.from({ length: times }, () => [
    `${firstUuidAt(at).slice(0, 24)}${String(++number).padStart(12, '0')}`,
    of.account.id,
    type,
    JSON.stringify(body),
    at,
  ]);
  await database.d1
    .prepare(
      `insert into account_events (id, account_id, type, body, created_at)
       select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from json_each(?)`,
    )
    .bind(JSON.stringify(rows))
    .run();
}

const counts = (of = ctx) =>
  countsQuery(of, ['pass_created', 'app_scan_created.0', 'app_scan_created.1'], BEGIN, BEGIN + 24 * HOUR_MS);

describe('counting events', () => {
  test('counts each once, by hour, account and kind', async () => {
    const other = await database.accountContext();
    await happen(ctx, 'pass_created', BEGIN + 5, 3);
    await happen(ctx, 'pass_created', BEGIN + HOUR_MS, 2);
    await happen(other, 'pass_created', BEGIN, 7);
    await happen(ctx, 'app_scan_created', BEGIN, 1, { scanStatus: 0 });
    await happen(ctx, 'app_scan_created', BEGIN, 4, { scanStatus: 1 });
    await countEvents(ctx, BEGIN + 24 * HOUR_MS);
    await countEvents(ctx, BEGIN + 24 * HOUR_MS);
    expect(await counts()).toEqual([
      { metric: 'app_scan_created.0', hourAt: BEGIN, count: 1 },
      { metric: 'app_scan_created.1', hourAt: BEGIN, count: 4 },
      { metric: 'pass_created', hourAt: BEGIN, count: 3 },
      { metric: 'pass_created', hourAt: BEGIN + HOUR_MS, count: 2 },
    ]);
    expect(await counts(other)).toEqual([{ metric: 'pass_created', hourAt: BEGIN, count: 7 }]);
    await happen(ctx, 'pass_created', BEGIN + HOUR_MS + 60_000, 5);
    await countEvents(ctx, BEGIN + 24 * HOUR_MS);
    expect((await counts()).at(-1)).toEqual({ metric: 'pass_created', hourAt: BEGIN + HOUR_MS, count: 7 });
  });

  test('counts once what two simultaneous runs find', async () => {
    await happen(ctx, 'pass_created', BEGIN, 2_500);
    const run = () => countEvents(database.context(), BEGIN + HOUR_MS);
    await Promise.all([run(), run(), run(), run()]);
    await run();
    expect(await counts()).toEqual([{ metric: 'pass_created', hourAt: BEGIN, count: 2_500 }]);
  });

  test('waits until events of the same time have settled', async () => {
    await happen(ctx, 'pass_created', BEGIN, 1);
    await countEvents(ctx, BEGIN + 60_000);
    expect(await counts()).toEqual([]);
    await countEvents(ctx, BEGIN + 3 * 60_000);
    expect(await counts()).toHaveLength(1);
  });

  test('costs nothing if nothing happened', async () => {
    await happen(ctx, 'pass_created', BEGIN, 1_500);
    await countEvents(ctx, BEGIN + HOUR_MS);
    const quiet = database.context();
    await countEvents(quiet, BEGIN + HOUR_MS);
    expect(quiet.meter).toMatchObject({ rowsWritten: 0 });
    // The position, and two or three rows per account with events.
    expect(quiet.meter.rowsRead).toBeLessThanOrEqual(9);
  });
});
