import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold, pointBits, pointDigits } from '../../../src/domain/passes/search-index/search-terms.ts';
import {
  digitPrefixes,
  type Interval,
  intersection,
  othersAbove,
  periodOf,
  pointOf,
  union,
} from '../../../src/domain/search/intervals.ts';

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -1_000, max: 1_000 }),
  fc.constantFrom(0, -0),
);
const bound = fc.option(fc.record({ value: number, open: fc.boolean() }), { nil: undefined, freq: 4 });
const interval: fc.Arbitrary<Interval> = fc.record({ from: bound, to: bound });

function contains({ from, to }: Interval, value: number): boolean {
  if (from && (from.open ? value <= from.value : value < from.value)) return false;
  return !(to && (to.open ? value >= to.value : value > to.value));
}

describe('numbers as digits', () => {
  test('sort like numbers', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [x, y] = [a, b].map((value) => pointDigits(pointBits(value))) as [string, string];
        expect(x).toHaveLength(16);
        expect(x < y).toBe(a < b);
        expect(x === y).toBe(a === b);
      }),
    );
  });

  test('start with the prefixes of an interval if and only if they are in it', () => {
    fc.assert(
      fc.property(interval, number, (range, other) => {
        const prefixes = digitPrefixes(range);
        expect(prefixes.length).toBeLessThanOrEqual(480);
        for (const value of [other, range.from?.value ?? 0, range.to?.value ?? 0]) {
          const digits = pointDigits(pointBits(value));
          expect(prefixes.filter((prefix) => digits.startsWith(prefix)).length).toBe(contains(range, value) ? 1 : 0);
        }
      }),
    );
  });

  test('are in the intersection of intervals, and in their union', () => {
    fc.assert(
      fc.property(interval, interval, number, (a, b, value) => {
        const common = intersection(a, b);
        expect(common !== undefined && contains(common, value)).toBe(contains(a, value) && contains(b, value));
        const parts = union([a, b]);
        expect(parts.filter((part) => contains(part, value)).length).toBe(
          contains(a, value) || contains(b, value) ? 1 : 0,
        );
      }),
    );
  });
});

describe('a date', () => {
  const hours = (text: string, timezone: string, beginning = false) => {
    const period = periodOf(text, timezone, beginning)!;
    return (period.to!.value - period.from!.value) / 3_600_000;
  };

  test('covers its precision, and a day its length in the zone', () => {
    expect(hours('2026-03-28', 'Europe/Vienna')).toBe(24);
    expect(hours('2026-03-29', 'Europe/Vienna')).toBe(23);
    expect(hours('2026-10-25', 'Europe/Vienna')).toBe(25);
    expect(hours('2026-10-25', 'UTC')).toBe(24);
    expect(hours('2026-01-01 10:00', 'UTC')).toBe(1 / 60);
    expect(hours('2026-01-01 10:00:00', 'UTC')).toBe(1 / 3_600);
    expect(hours('2028-02', 'UTC', true)).toBe(29 * 24);
    expect(hours('2026', 'UTC', true)).toBe(365 * 24);
    expect(hours('2026-12-31', 'UTC')).toBe(24);
  });

  test.each(['UTC', 'America/New_York', 'Asia/Tokyo'])('covers all of 9999-12-31 in %s', (timezone) => {
    expect(hours('9999-12-31', timezone)).toBe(24);
    expect(hours('9999-12', timezone, true)).toBe(31 * 24);
    expect(hours('9999', timezone, true)).toBe(365 * 24);
  });

  test.each([
    '2026-02-30',
    '2026-13-01',
    '2026',
    '2026-01',
    '2026-01-01 10',
    '2026-01-01 24:00',
    'today',
    '',
    '01.02.2026',
  ])('is not %j', (text) => {
    expect(periodOf(text, 'UTC')).toBeUndefined();
  });
});

test.each([
  ['5', 5],
  [' -2.50 ', -2.5],
  ['1e3', 1_000],
  ['.5', 0.5],
])('%j is a number', (text, value) => {
  expect(pointOf(text)?.from?.value).toBe(value);
});

test.each(['', 'five', '0x10', '1,5', 'Infinity', '1e999', 'NaN'])('%j is not a number', (text) => {
  expect(pointOf(text)).toBeUndefined();
});

describe('folding', () => {
  test('is idempotent, and the same in parts as in whole', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
        expect(Array.from(fold(text)).every((char) => char >= ' ')).toBe(true);
      }),
    );
  });

  test.each([
    ['ÄÖÜ', 'äöü'],
    ['STRASSE', 'straße'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
    ['ЯБЛОКО', 'яблоко'],
    ['é', 'e\u0301'],
    ['ﬁn', 'FIN'],
  ])('treats %s and %s as equal', (a, b) => {
    expect(fold(a)).toBe(fold(b));
  });
});

test('a positive number is either in one of the intervals, or in the complement', () => {
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 4 }), fc.array(number), (intervals, more) => {
      const bounds = intervals.flatMap(({ from, to }) => [from, to].flatMap((side) => (side ? [side.value] : [])));
      const others = othersAbove(intervals);
      for (const value of [...bounds, ...more].filter((one) => one > 0)) {
        const isIn = intervals.some((one) => contains(one, value));
        expect(others.some((one) => contains(one, value))).toBe(!isIn);
      }
    }),
  );
});
