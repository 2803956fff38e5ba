import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { addWork, openDatabase } from '../../src/platform/db.ts';
import { rawStatement } from '../../src/platform/raw-statement.ts';
import { isTransient } from '../../src/platform/transient-error.ts';
import { d1Over } from '../support/d1-over.ts';

const NONE = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 };

/** Opens a database whose session has seen this state. */
const opened = (bookmark: string | null) =>
  openDatabase({ withSession: () => ({ getBookmark: () => bookmark }) } as unknown as D1Database);

test.each([
  ['1', '2', '2'],
  ['2', '1', '2'],
  [null, '1', '1'],
  ['1', null, '1'],
  [null, null, null],
])('the bookmark of a request (%s) with work elsewhere (%s) is the later one', (own, elsewhere, promised) => {
  const { meter, bookmark } = opened(own);
  addWork(meter, { ...NONE, bookmark: elsewhere });
  expect(bookmark()).toBe(promised);
});

test('of several bookmarks elsewhere, the latest is used, and their costs add up', () => {
  const { meter, bookmark } = opened(null);
  addWork(meter, { roundTrips: 1, rowsRead: 2, rowsWritten: 3, bookmark: '2' });
  addWork(meter, { roundTrips: 10, rowsRead: 20, rowsWritten: 30, bookmark: '1' });
  expect(bookmark()).toBe('2');
  expect(meter).toMatchObject({ roundTrips: 11, rowsRead: 22, rowsWritten: 33 });
});

/** Returns a database whose first round trips fail with this error. */
function failing(times: number, message = 'D1_ERROR: Network connection lost.') {
  let asked = 0;
  const d1 = d1Over(async (statements) => {
    asked += 1;
    if (asked <= times) throw new Error(message);
    return statements.map(() => ({ results: [{ n: 1 }], meta: { rows_read: 1, rows_written: 0 } })) as never;
  });
  // Not in its recorded session, because these statements aren't the product's.
  return { ...openDatabase({ withSession: () => d1 } as unknown as D1Database), asked: () => asked };
}

describe('after a transient error', () => {
  test.each([
    'select 1 as n',
    'with one as (select 1 as n) select n from one',
    "select replace('a-b', '-', '') as n",
    "select REPLACE ('a-b', '-', '') as n",
  ])('%s is retried', async (read) => {
    const { db, meter, asked } = failing(4);
    expect(await rawStatement(db, sql.raw(read))).toEqual([{ n: 1 }]);
    expect([asked(), meter.roundTrips]).toEqual([5, 5]);
  });

  test('reads fail after the fifth time, with an error that is not retried', async () => {
    const { db, asked } = failing(99);
    const error = await rawStatement(db, sql`select 1 as n`).then(null, (thrown: Error) => thrown);
    expect(error).toMatchObject({ message: 'D1_ERROR: Network connection lost.' });
    expect([asked(), isTransient(error)]).toEqual([5, false]);
  });

  test.each([
    'update accounts set name = name',
    'with one as (select 1) delete from accounts',
    'with one as (select 1) replace into accounts select * from one',
    'with one as (select 1) replace\n  into accounts select * from one',
  ])('%s is not retried, because it may have taken effect', async (write) => {
    const { db, asked } = failing(1);
    await expect(rawStatement(db, sql.raw(write))).rejects.toSatisfy(isTransient);
    expect(asked()).toBe(1);
  });

  test('a batch with a write among reads is not retried', async () => {
    const { db, asked } = failing(1);
    const statements = [rawStatement(db, sql`select 1 as n`), rawStatement(db, sql`delete from accounts`)] as const;
    await expect(db.batch(statements)).rejects.toThrow('Network connection lost');
    expect(asked()).toBe(1);
  });
});

test('after any other error, a read is not retried', async () => {
  const { db, asked } = failing(1, 'D1_ERROR: no such table: nothing');
  await expect(rawStatement(db, sql`select 1 as n`)).rejects.toThrow('no such table');
  expect(asked()).toBe(1);
});
