import { type Column, getTableName } from 'drizzle-orm';
import { getTableConfig } from 'drizzle-orm/sqlite-core';
import { describe, expect, test } from 'vitest';
import { DUE, nextStop } from '../../src/dev/clock/advance-clock.ts';
import { Advance } from '../../src/dev/clock/clock-routes.ts';
import { checked } from '../../src/domain/check.ts';
import { everyTable } from '../support/tenant-tables.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('a span to advance the clock by', () => {
  test.each([
    ['30s', 30_000],
    ['15m', 15 * 60_000],
    ['6h', 6 * HOUR_MS],
    ['3d', 3 * DAY_MS],
    ['2w', 14 * DAY_MS],
    ['400d', 400 * DAY_MS],
  ])('is parsed: %s', (advance, ms) => {
    expect(checked(Advance, { advance })).toEqual({ advance: ms });
  });

  test.each([
    [{}, 'advance: is required'],
    [{ advance: 3 }, 'advance: must be a string'],
    [{ advance: '3' }, 'advance: must be a number and a unit, such as 30s, 15m, 6h, 3d or 2w'],
    [{ advance: '-3d' }, 'advance: must be a number and a unit, such as 30s, 15m, 6h, 3d or 2w'],
    [{ advance: '3 d' }, 'advance: must be a number and a unit, such as 30s, 15m, 6h, 3d or 2w'],
    [{ advance: '1.5d' }, 'advance: must be a number and a unit, such as 30s, 15m, 6h, 3d or 2w'],
    [{ advance: 'P3D' }, 'advance: must be a number and a unit, such as 30s, 15m, 6h, 3d or 2w'],
    [{ advance: '0d' }, 'advance: must be more than 0: the clock only goes forward'],
    [{ advance: '401d' }, 'advance: must be at most 400d'],
    [{ advance: '999999999w' }, 'advance: must be at most 400d'],
    [{ advance: '3d', reset: true }, 'must be an object such as {"advance": "3d"}'],
    [null, 'must be an object such as {"advance": "3d"}'],
  ])('is rejected: %j', (body, message) => {
    expect(() => checked(Advance, body)).toThrow(message);
  });
});

describe('a clock that is advanced stops', () => {
  const noon = Date.UTC(2027, 0, 31, 12);

  test('where something is due, at the second after it', () => {
    expect(nextStop(noon, noon + 5 * HOUR_MS, noon + 1_500, 0)).toBe(noon + 2_000);
  });

  test('at midnight in UTC, if nothing is due before', () => {
    expect(nextStop(noon, noon + 5 * DAY_MS, undefined, 0)).toBe(noon + 12 * HOUR_MS);
    expect(nextStop(noon, noon + 5 * DAY_MS, noon + DAY_MS, 0)).toBe(noon + 12 * HOUR_MS);
    expect(nextStop(noon + 12 * HOUR_MS, noon + 5 * DAY_MS, undefined, 1)).toBe(noon + 36 * HOUR_MS);
  });

  test('at its target, and never after it', () => {
    expect(nextStop(noon, noon + 90, undefined, 0)).toBe(noon + 90);
    expect(nextStop(noon, noon + 90, noon + 80, 0)).toBe(noon + 90);
    expect(nextStop(noon, noon + 90, noon + HOUR_MS, 0)).toBe(noon + 90);
  });

  test('less precisely, once it has stopped often', () => {
    const stops = [0, 199, 200, 999, 1_000].map((count) => nextStop(noon, noon + 5 * DAY_MS, noon + 1, count) - noon);
    expect(stops).toEqual([1_000, 1_000, 60_000, 60_000, HOUR_MS]);
  });
});

describe('the list of what the clock stops at', () => {
  /** Columns of that kind that the clock ignores. */
  const PASSED_BY: Record<string, string> = {
    'accounts.retention_due_at': 'each hour: a stop a day is enough',
    'operator_mails.due_at': 'mails about the service itself',
    'pending_pushes.due_at': 'pushes of the release before 0.2.0',
    'webhook_deliveries.next_attempt_at': 'deliveries of the release before 0.2.0',
  };

  test('has every column with a due time', () => {
    const all = everyTable().flatMap((table) => getTableConfig(table).columns);
    const named = all.filter(({ name }) =>
      /^(\w+_)?due_at$|^next_attempt_at$|^(tell|tell_owner|warn|refresh)_at$/.test(name),
    );
    const nameOf = (column: Column) => `${getTableName(column.table)}.${column.name}`;
    expect([...DUE.map(nameOf), ...Object.keys(PASSED_BY)].sort()).toEqual(named.map(nameOf).sort());
  });
});
