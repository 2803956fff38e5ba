import { expect, test } from 'vitest';
import { chunksOf, slicesOf } from '../../src/platform/chunks.ts';

test('slices contain every item once, in order, and the last one may be short', () => {
  expect(slicesOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(slicesOf([1, 2], 2)).toEqual([[1, 2]]);
  expect(slicesOf([], 2)).toEqual([]);
});

test('a chunk ends before the text that would not fit', () => {
  expect(chunksOf(['aa', 'b', 'c', 'ddd'], 3)).toEqual([['aa', 'b'], ['c'], ['ddd']]);
  expect(chunksOf([], 3)).toEqual([]);
});

test('a text longer than a chunk is alone in one', () => {
  expect(chunksOf(['a', 'bbbbb', 'c'], 3)).toEqual([['a'], ['bbbbb'], ['c']]);
});

test('chunks of other items use the given measure and maximum number', () => {
  const rows = [{ chars: 1 }, { chars: 1 }, { chars: 1 }, { chars: 9 }];
  expect(chunksOf(rows, 10, ({ chars }) => chars, 2)).toEqual([rows.slice(0, 2), rows.slice(2)]);
});
