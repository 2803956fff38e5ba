import { expect, test } from 'vitest';
import { addWork, openDatabase } from '../../src/platform/db.ts';

const NONE = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 };

/** A database whose session has seen this state. */
const opened = (bookmark: string | null) =>
  openDatabase({ withSession: () => ({ getBookmark: () => bookmark }) } as unknown as D1Database);

test.each([
  ['1', '2', '2'],
  ['2', '1', '2'],
  [null, '1', '1'],
  ['1', null, '1'],
  [null, null, null],
])('the bookmark of a request (%s) with work elsewhere (%s) promises the later state', (own, elsewhere, promised) => {
  const { meter, bookmark } = opened(own);
  addWork(meter, { ...NONE, bookmark: elsewhere });
  expect(bookmark()).toBe(promised);
});

test('of several works elsewhere the latest counts, and their costs add up', () => {
  const { meter, bookmark } = opened(null);
  addWork(meter, { roundTrips: 1, rowsRead: 2, rowsWritten: 3, bookmark: '2' });
  addWork(meter, { roundTrips: 10, rowsRead: 20, rowsWritten: 30, bookmark: '1' });
  expect(bookmark()).toBe('2');
  expect(meter).toMatchObject({ roundTrips: 11, rowsRead: 22, rowsWritten: 33 });
});
