import { parseDateTime } from '../../platform/dates.ts';
import { pointBits, pointDigits } from '../passes/search-index/search-terms.ts';

/** An end of an interval; `open`: the value itself is outside. */
export interface Bound {
  value: number;
  open: boolean;
}

/** Numbers, or UTC milliseconds, between two bounds; an absent bound is none. */
export interface Interval {
  from?: Bound;
  to?: Bound;
}

/** The interval of a number alone; undefined when the text is none. */
export function pointOf(text: string): Interval | undefined {
  const trimmed = text.trim();
  if (!/^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(trimmed) || !Number.isFinite(Number(trimmed))) return undefined;
  const bound = { value: Number(trimmed), open: false };
  return { from: bound, to: bound };
}

/** Forms of a date, as precise as they are long; those from `Y-m-d` on are dates of their own, the others begin one. */
const FORMS = ['0000', '0000-00', '0000-00-00', '0000-00-00 00', '0000-00-00 00:00', '0000-00-00 00:00:00'] as const;
const EARLIEST = '0000-01-01 00:00:00';
const [DAY, HOUR] = [2, 3];

/**
 * The time that a date means in a zone: `Y-m-d` the whole day, `Y-m-d H:i` the minute, `Y-m-d H:i:s` the second; with
 * `beginning` also a year, a month or an hour. Undefined for other texts and for dates that do not exist.
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

/** The first instant behind a year, a month or a day, which are as long as the calendar of the zone has them. */
function endOf(text: string, form: number, timezone: string): number {
  const [year = 0, month = 1, day = 1] = text.split('-').map(Number);
  const next = [Date.UTC(year + 1, 0), Date.UTC(year, month), Date.UTC(year, month - 1, day + 1)][form]!;
  return parseDateTime(new Date(next).toISOString().slice(0, 19), timezone) ?? next;
}

/** Where both hold; undefined when they do not meet. */
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

/** The same numbers in intervals that do not touch each other. */
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

/** The fewest beginnings of `pointDigits` that make up an interval, rising: at most 15 a digit and bound. */
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

/** Keys that share all but the last `digits` digits. */
function sizeOf(digits: number): bigint {
  return 1n << BigInt(4 * digits);
}

/** Zero alone. */
export const ZERO: Interval = { from: { value: 0, open: false }, to: { value: 0, open: false } };
/** One, and all below. */
export const UP_TO_ONE: Interval = { to: { value: 1, open: false } };

/** Numbers above zero outside of the intervals. */
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
