import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleLinks } from '../../src/domain/passes/table.ts';
import { ALL, PAGE_ROWS, RUN_PAGES_MAX, runInPages, runWeekly } from '../../src/domain/purge.ts';
import { type LocalDatabase, openMemoryDatabase } from './local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

/** Returns the number of pages if they change these numbers of rows, and all later ones the last number. */
async function pagesOf(changed: number[], options?: Parameters<typeof runInPages>[1]): Promise<number> {
  let pages = 0;
  await runInPages(async () => changed[pages++] ?? changed.at(-1)!, options);
  return pages;
}

test('continues until a page changes fewer rows than its limit, or none', async () => {
  expect(await pagesOf([5, 1, 0])).toBe(3);
  expect(await pagesOf([PAGE_ROWS, PAGE_ROWS - 1], { enough: PAGE_ROWS })).toBe(2);
});

test('ends after a run’s maximum of pages, unless it must handle all', async () => {
  expect(await pagesOf([1])).toBe(RUN_PAGES_MAX);
  expect(await pagesOf([1, 1, 1], { pagesMax: 2 })).toBe(2);
  const many = Array.from({ length: 3 * RUN_PAGES_MAX }, () => PAGE_ROWS);
  expect(await pagesOf([...many, 0], ALL)).toBe(many.length + 1);
});

/** Returns the numbers of the rows checked in some minutes of a week, by page. */
async function turns(rows: number, minutes: number[]): Promise<number[][]> {
  await database.look.delete(bundleLinks);
  await database.d1
    .prepare(
      `insert into bundle_links (account_id, bundle_id, page_token, created_at) with recursive numbers(n) as
        (select 1 union all select n + 1 from numbers where n < ?) select 'account', n, n, 1 from numbers`,
    )
    .bind(rows)
    .run();
  const pages: number[][] = [];
  for (const minute of minutes) {
    await runWeekly({ db: database.look }, bundleLinks, minute * 60_000, async (isHere) => {
      const found = await database.look.select({ n: bundleLinks.bundleId }).from(bundleLinks).where(isHere);
      pages.push(found.map(({ n }) => Number(n)));
    });
  }
  return pages;
}

const WEEK_MINUTES = 7 * 24 * 60;

test('each row is checked once a week', async () => {
  const minutes = Array.from({ length: WEEK_MINUTES / 70 }, (_, i) => i);
  const firstSeventieth = (await turns(2_100, minutes)).flat();
  expect(firstSeventieth).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  expect((await turns(3, [0, WEEK_MINUTES / 3 - 1, 2 * WEEK_MINUTES - 1])).flat()).toEqual([1, 3]);
});

test('many rows are checked in pages', async () => {
  await turns(2, []);
  await database.d1
    .prepare(
      "insert into bundle_links (rowid, account_id, bundle_id, page_token, created_at) values (?, 'x', 'x', 'x', 1)",
    )
    .bind(2_500 * WEEK_MINUTES)
    .run();
  const pages: unknown[] = [];
  await runWeekly({ db: database.look }, bundleLinks, 0, async (isHere) => pages.push(isHere));
  expect(pages).toHaveLength(3);
});
