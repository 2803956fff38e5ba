import { parseDateTime } from '../../platform/dates.ts';
import { pointBits, pointDigits } from '../passes/search-index/search-terms.ts';

/** A bound of an interval; `open`: the value itself is excluded. */
export interface Bound {
  value: number;
  open: boolean;
}

/** An interval of numbers or UTC milliseconds; without a bound it is unlimited on that side. */
export interface Interval {
  from?: Bound;
  to?: Bound;
}

/** Returns the interval of a single number; undefined if the text isn't a number. */
export function pointOf(text: string): Interval | undefined {
  const trimmed = text.trim();
  if (!/^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(trimmed) || !Number.isFinite(Number(trimmed))) return undefined;
  const bound = { value: Number(trimmed), open: false };
  return { from: bound, to: bound };
}

/**
 * Formats of a date, from coarse to precise. From `Y-m-d` on they are complete dates; the others are the start of one.
 */
const FORMS = ['0000', '0000-00', '0000-00-00', '0000-00-00 00', '0000-00-00 00:00', '0000-00-00 00:00:00'] as const;
const EARLIEST = '0000-01-01 00:00:00';
const [DAY, HOUR] = [2, 3];

/**
 * Returns the time that a date covers in a time zone: `Y-m-d` the day, `Y-m-d H:i` the minute, `Y-m-d H:i:s` the
 * second; with `beginning` also a year, a month or an hour. Undefined for other texts and for dates that don't exist.
 */
export function periodOf(text: string, timezone: string, beginning = false): Interval | undefined {
  const spaced = text.trim().replace(/[tT]/, ' ');
  const form = FORMS.indexOf(spaced.replace(/\d/g, '0') as (typeof FORMS)[number]);
  if (form < 0 || (!beginning && (form < DAY || form === HOUR))) return undefined;
  const from = parseDateTime(spaced + EARLIEST.slice(spaced.length), timezone);
  if (from === undefined) return undefined;
  const to = form > DAY ? from + UNIT_MS[form]! : endOf(spaced, form, timezone);
  return { from: { value: from, open: false }, to: { value: to, open: true } };
}

const UNIT_MS = [0, 0, 0, 3_600_000, 60_000, 1_000];

/** Returns the first instant after a year, a month or a day, whose length depends on the calendar of the time zone. */
function endOf(text: string, form: number, timezone: string): number {
  const [year = 0, month = 1, day = 1] = text.split('-').map(Number);
  const next = [Date.UTC(year + 1, 0), Date.UTC(year, month), Date.UTC(year, month - 1, day + 1)][form]!;
  const localTime = (millis: number) => parseDateTime(new Date(millis).toISOString().slice(0, 19), timezone);
  // The year 10000 has no text of this form, so the end of 9999 is found by its last second.
  return localTime(next) ?? localTime(next - 1_000)! + 1_000;
}

/** Returns the overlap of two intervals; undefined if they don't overlap. */
export function intersection(a: Interval, b: Interval): Interval | undefined {
  const from = inner(a.from, b.from, (x, y) => x > y);
  const to = inner(a.to, b.to, (x, y) => x < y);
  const [first, last] = bitsOf({ from, to });
  return first <= last ? { from, to } : undefined;
}

function inner(a: Bound | undefined, b: Bound | undefined, isInside: (x: number, y: number) => boolean) {
  if (!a || !b) return a ?? b;
  if (a.value === b.value) return a.open ? a : b;
  return isInside(a.value, b.value) ? a : b;
}

/** Merges intervals that overlap or touch. */
export function union(intervals: Interval[]): Interval[] {
  const sorted = intervals
    .map((interval) => ({ interval, bits: bitsOf(interval) }))
    .filter(({ bits: [first, last] }) => first <= last)
    .sort((a, b) => (a.bits[0] < b.bits[0] ? -1 : 1));
  const merged: typeof sorted = [];
  for (const next of sorted) {
    const open = merged.at(-1);
    if (!open || next.bits[0] > open.bits[1] + 1n) merged.push({ ...next });
    else if (next.bits[1] > open.bits[1]) {
      open.interval = { from: open.interval.from, to: next.interval.to };
      open.bits = [open.bits[0], next.bits[1]];
    }
  }
  return merged.map(({ interval }) => interval);
}

const LAST = (1n << 64n) - 1n;

function bitsOf({ from, to }: Interval): [bigint, bigint] {
  const first = from ? pointBits(from.value) + (from.open ? 1n : 0n) : 0n;
  const last = to ? pointBits(to.value) - (to.open ? 1n : 0n) : LAST;
  return [first, last];
}

const DIGITS = 16;

/** Returns the fewest prefixes of `pointDigits` that cover an interval, ascending: at most 15 per digit and bound. */
export function digitPrefixes(interval: Interval): string[] {
  let [first, last] = bitsOf(interval);
  const prefixes: string[] = [];
  while (first <= last) {
    let block = 0;
    while (block < DIGITS && first % sizeOf(block + 1) === 0n && first + sizeOf(block + 1) - 1n <= last) block += 1;
    prefixes.push(pointDigits(first).slice(0, DIGITS - block));
    first += sizeOf(block);
  }
  return prefixes;
}

/** Returns the number of keys that share all but the last `digits` digits. */
function sizeOf(digits: number): bigint {
  return 1n << BigInt(4 * digits);
}

/** Zero only. */
export const ZERO: Interval = { from: { value: 0, open: false }, to: { value: 0, open: false } };
/** One and everything below. */
export const UP_TO_ONE: Interval = { to: { value: 1, open: false } };

/** Returns the numbers above zero outside the intervals. */
export function othersAbove(intervals: Interval[]): Interval[] {
  return intervals.reduce<Interval[]>(
    (others, { from, to }) => {
      const below = from && { to: { value: from.value, open: !from.open } };
      const above = to && { from: { value: to.value, open: !to.open } };
      return others.flatMap((other) => [below, above].flatMap((side) => (side && intersection(other, side)) ?? []));
    },
    [{ from: { value: 0, open: true } }],
  );
}
