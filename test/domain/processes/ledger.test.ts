import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { findApplied, ledgerOf } from '../../../src/domain/processes/ledger.ts';
import { appliedItems } from '../../../src/domain/processes/table.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = openMemoryDatabase();
  ctx = await database.accountContext();
  // Recorded by a range from 1 to 100, whose first half was applied before, and which was split since.
  await database.look.insert(appliedItems).values({ processId: 'split', firstItem: 1, items: [1, 60, 100] });
});
afterAll(() => database.close());

test.each([
  ['begins behind the one that noted an item', { first: 51, last: 100 }],
  ['is the last item of it', { first: 100, last: 100 }],
  ['ends with its first item', { first: 1, last: 1 }],
])('the ledger knows a range as applied if it %s', async (_, range) => {
  expect((await ledgerOf(ctx, 'split', range).query()).flatMap(({ items }) => items)).toContain(range.last);
  expect(await findApplied(ctx.db, 'split', [range.last])).toContain(range.last);
});

test('the ledger of a range does not affect other processes or later ranges', async () => {
  expect(await ledgerOf(ctx, 'other', { first: 51, last: 100 }).query()).toEqual([]);
  expect(await ledgerOf(ctx, 'split', { first: 101, last: 200 }).query()).toEqual([]);
});
