import { expect, test } from 'vitest';
import { ALL, inPages, PAGE_ROWS, RUN_PAGES_MAX } from '../../src/domain/purge.ts';

/** How many pages are done when they change these numbers of rows, and all later ones the last of them. */
async function pagesOf(changed: number[], options?: Parameters<typeof inPages>[1]): Promise<number> {
  let pages = 0;
  await inPages(async () => changed[pages++] ?? changed.at(-1)!, options);
  return pages;
}

test('goes on until a page changes nothing, or less than it asks for', async () => {
  expect(await pagesOf([5, 1, 0])).toBe(3);
  expect(await pagesOf([PAGE_ROWS, PAGE_ROWS - 1], { enough: PAGE_ROWS })).toBe(2);
});

test('ends after the pages of a run, if it isn’t for all of them', async () => {
  expect(await pagesOf([1])).toBe(RUN_PAGES_MAX);
  expect(await pagesOf([1, 1, 1], { pagesMax: 2 })).toBe(2);
  const many = Array.from({ length: 3 * RUN_PAGES_MAX }, () => PAGE_ROWS);
  expect(await pagesOf([...many, 0], ALL)).toBe(many.length + 1);
});
