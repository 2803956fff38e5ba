import { expect, test } from 'vitest';
import { chunksOf, slicesOf } from '../../src/platform/chunks.ts';

test('slices hold every item once, in order, and the last one may be short', () => {
  expect(slicesOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(slicesOf([1, 2], 2)).toEqual([[1, 2]]);
  expect(slicesOf([], 2)).toEqual([]);
});

test('a chunk ends before the text that would not fit', () => {
  expect(chunksOf(['aa', 'b', 'c', 'ddd'], 3)).toEqual([['aa', 'b'], ['c'], ['ddd']]);
  expect(chunksOf([], 3)).toEqual([]);
});

test('a text that is longer than a chunk stands alone', () => {
  expect(chunksOf(['a', 'bbbbb', 'c'], 3)).toEqual([['a'], ['bbbbb'], ['c']]);
});

test('chunks of other items are measured as asked, and hold no more of them than asked', () => {
  const rows = [{ chars: 1 }, { chars: 1 }, { chars: 1 }, { chars: 9 }];
  expect(chunksOf(rows, 10, ({ chars }) => chars, 2)).toEqual([rows.slice(0, 2), rows.slice(2)]);
});
