import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { type Pass, passes } from '../../../src/domain/passes/table.ts';
import { repeatedValues, takenValuesQuery } from '../../../src/domain/passes/unique-values.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

/** Passes that claim a value each. */
const CLAIMS = 2_000;
const PASSES_OF_PAGE = 10;
const SEAT = 'seat';

let database: LocalDatabase;
let ctx: AccountContext;
const templateId = uuidv7();
let page: Pass[];

beforeAll(async () => {
  database = await openLocalDatabase();
  const opened = await database.accountContext();
  const { look } = database;
  await look.run(sql`insert into unique_property_values (template_id, property_id, value, pass_id)
    with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < ${CLAIMS})
    select ${templateId}, ${SEAT}, 'seat ' || value, 'pass ' || value from numbers`);
  page = [];
  for (let i = 0; i < PASSES_OF_PAGE; i++) {
    const id = uuidv7();
    const links = { pageToken: id, fileToken: id, authenticationToken: id };
    const shown = {
      generatedId: id,
      barcodeValue: id,
      properties: { [SEAT]: `seat ${CLAIMS - 2 + i}` },
      appearance: {},
    };
    const times = { createdAt: 0, modifiedAt: 0 };
    const row = { ...links, ...shown, ...times, id, templateId, templateVersion: 1, accountId: opened.account.id };
    page.push(...(await look.insert(passes).values(row).returning()));
  }
  // Counts the rows of the queries under test only.
  ctx = { ...opened, ...database.context() };
});
afterAll(() => database.close());

test('the passes that hold the values of 10 passes are found with a few rows, not with all claims of the template', async () => {
  const before = ctx.meter.rowsRead;
  const taken = await takenValuesQuery(ctx, page);
  expect(taken.map(({ place, passId }) => [place, passId])).toEqual(
    [0, 1, 2].map((i) => [i, `pass ${CLAIMS - 2 + i}`]),
  );
  expect(ctx.meter.rowsRead - before).toBeLessThan(10 * PASSES_OF_PAGE);
});

test('the repeated values of a page of 10 passes are found with a few rows, not with all claims of the template', async () => {
  const before = ctx.meter.rowsRead;
  expect(await repeatedValues(ctx, templateId, [SEAT], { after: '', passes: PASSES_OF_PAGE })).toEqual(new Set([SEAT]));
  expect(ctx.meter.rowsRead - before).toBeLessThan(10 * PASSES_OF_PAGE);
});
