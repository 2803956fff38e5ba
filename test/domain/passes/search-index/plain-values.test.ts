import { sql } from 'drizzle-orm';
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  dateIn,
  isPlainDate,
  isPlainFold,
  isPlainText,
  numberIn,
  numberText,
  plainNumber,
} from '../../../../src/domain/passes/search-index/plain-values.ts';
import { fold } from '../../../../src/domain/passes/search-index/search-terms.ts';
import { parseDate, parseDateTime } from '../../../../src/platform/dates.ts';
import { randomRuns } from '../../../support/random-runs.ts';
import { type LocalDatabase, openLocalDatabase } from '../../local-database.ts';

/* D1 reads and writes the values that the service treats as plain in the same way as the service. */

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

const VALUE = sql.raw('one.value');
const READ = new SQLiteSyncDialect().sqlToQuery(
  sql`select ${numberIn(VALUE)} as number, ${dateIn(VALUE)} as date, lower(${VALUE}) as folded,
    iif(one.type = 'text', null, ${numberText(VALUE)}) as written from json_each(?) as one order by one.key`,
).sql;

async function read(values: (string | number)[]) {
  const { results } = await database.d1
    .prepare(READ)
    .bind(JSON.stringify(values))
    .all<{ number: number | null; date: number | null; folded: string; written: string | null }>();
  return results;
}

const dateOf = (text: string) => parseDateTime(text, 'UTC') ?? parseDate(text, 'UTC') ?? null;
const near = (text: string) =>
  fc
    .tuple(fc.nat(text.length - 1), fc.constantFrom(...'0123456789-:T t.eZ'))
    .map(([at, letter]) => text.slice(0, at) + letter + text.slice(at + 1));
const date = fc.constantFrom('2024-02-29', '2023-02-28 23:59', '1999-12-31T00:00:59', '0999-01-01', '24:00', 'now');
const texts = fc.oneof(
  date.chain(near),
  fc.integer().map(String),
  fc.double({ noNaN: true }).map(String),
  fc.string({ unit: fc.constantFrom(...'0123456789.-+e'), maxLength: 18 }),
  fc.string({ unit: fc.constantFrom(...'aAzZäÄßÉé 19\n\u0000\u2028"\\'), maxLength: 12 }),
);

test('of texts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { minLength: 100, maxLength: 200 }), async (list) => {
      for (const [i, { number, date: found, folded }] of (await read(list)).entries()) {
        const text = list[i]!;
        if (!isPlainFold(text, fold(text))) continue;
        expect([text, folded]).toEqual([text, fold(text)]);
        expect([text, number]).toEqual([text, plainNumber(text === '-0' ? '0' : text)]);
        if (isPlainDate(text, dateOf(text))) expect([text, found]).toEqual([text, dateOf(text)]);
      }
    }),
    randomRuns(60, 20_000),
  );
});

test('of numbers', async () => {
  const numbers = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer().map((value) => value / 100),
    fc.maxSafeInteger(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(numbers, { minLength: 100, maxLength: 200 }), async (list) => {
      for (const [i, { written }] of (await read(list)).entries()) {
        if (isPlainText(list[i]!)) expect(written).toBe(String(list[i]));
      }
    }),
    randomRuns(60, 20_000),
  );
});

test('most values are plain', () => {
  const values = ['Ada Lovelace', 'Müller', 'Ordóñez', 'GOLD', 'a "b" \\'];
  for (const text of values) expect([text, isPlainFold(text, fold(text))]).toEqual([text, true]);
  for (const text of ['12', '-0.5', '2026']) expect(plainNumber(text)).toBe(Number(text));
  const dates = ['2026-12-24', '2026-12-24 09:10', '2026-02-31'];
  for (const text of dates) expect([text, isPlainDate(text, dateOf(text))]).toEqual([text, true]);
  for (const value of [0, -3, 12.5, 1e15]) expect(isPlainText(value)).toBe(true);
});
