import { invalidField } from '../../../domain/errors.ts';
import { HOURLY_COUNTS_DAYS } from '../../../domain/statistics/fold-counts.ts';
import { formatDateTime, parseDate } from '../../../platform/dates.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Maximum number of days. More days mean more rows to read. */
const RANGE_DAYS_MAX = 92;
/** Up to this number of days, the chart shows hours, unless only daily data is left. */
const HOURLY_DAYS_MAX = 2;

/** Predefined ranges, by their name in the address. */
export const RANGES = [
  { id: 'day', title: '24 hours' },
  { id: 'week', title: '7 days' },
  { id: 'month', title: '30 days' },
] as const;

/** An hour or a day of a chart. */
export interface Bucket {
  /** UTC milliseconds. */
  from: number;
  /** Short label for an axis. */
  label: string;
  /** Full label. */
  title: string;
}

/** A period with its hours or days, oldest first. */
export interface Range {
  id: (typeof RANGES)[number]['id'] | 'custom';
  buckets: Bucket[];
  /** End of the last bucket, UTC milliseconds. */
  to: number;
  /** First and last day, `Y-m-d` in the account's time zone. */
  firstDay: string;
  lastDay: string;
}

/**
 * Returns the period of an address; default: a week. Throws `invalid` for invalid days, a wrong order, or too many
 * days.
 */
export function readRange(query: Record<string, string>, timezone: string, now: number): Range {
  const { range = 'week', from, to } = query;
  const today = formatDateTime(now, timezone).slice(0, 10);
  if (range === 'custom') {
    const days = daysBetween(dayOf('from', from, timezone), dayOf('to', to, timezone));
    const custom = { id: 'custom', firstDay: days[0]!, lastDay: days.at(-1)! } as const;
    const end = startOf(dayAfter(days.at(-1)!), timezone);
    const begin = startOf(days[0]!, timezone);
    const isFolded = begin < now - (HOURLY_COUNTS_DAYS - 1) * DAY_MS;
    if (isFolded || days.length > HOURLY_DAYS_MAX) return { ...custom, buckets: dailyBuckets(days, timezone), to: end };
    return { ...custom, buckets: hourlyBuckets(begin, end, timezone), to: end };
  }
  if (range === 'day') {
    const end = now - (now % HOUR_MS) + HOUR_MS;
    const buckets = hourlyBuckets(end - DAY_MS, end, timezone);
    return {
      id: 'day',
      buckets,
      to: end,
      firstDay: formatDateTime(end - DAY_MS, timezone).slice(0, 10),
      lastDay: today,
    };
  }
  const length = range === 'month' ? 30 : 7;
  const days = Array.from({ length }, (_, i) => shifted(today, i - length + 1));
  const end = startOf(dayAfter(today), timezone);
  const id = range === 'month' ? 'month' : 'week';
  return { id, buckets: dailyBuckets(days, timezone), to: end, firstDay: days[0]!, lastDay: today };
}

/** Sums counts by bucket. An hour belongs to the bucket that contains its start. */
export function bucketed(range: Range, counts: { hourAt: number; count: number }[]): number[] {
  const sums = range.buckets.map(() => 0);
  for (const { hourAt, count } of counts) {
    const at = range.buckets.findLastIndex(({ from }) => from <= hourAt);
    if (at >= 0 && hourAt < range.to) sums[at]! += count;
  }
  return sums;
}

function dayOf(name: string, text: string | undefined, timezone: string): string {
  if (text === undefined || parseDate(text, timezone) === undefined)
    throw invalidField(name, 'must be a date such as 2026-12-24');
  return text;
}

function daysBetween(first: string, last: string): string[] {
  const length = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  if (length < 1) throw invalidField('to', 'must not be before the first day');
  if (length > RANGE_DAYS_MAX) throw invalidField('to', `is too late: select at most ${RANGE_DAYS_MAX} days`);
  return Array.from({ length }, (_, i) => shifted(first, i));
}

/** Returns the day a number of days later, both `Y-m-d`. */
function shifted(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

const dayAfter = (day: string): string => shifted(day, 1);

const startOf = (day: string, timezone: string): number => parseDate(day, timezone)!;

function dailyBuckets(days: string[], timezone: string): Bucket[] {
  const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const long = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
  return days.map((day) => {
    const date = Date.parse(day);
    return { from: startOf(day, timezone), label: short.format(date), title: long.format(date) };
  });
}

function hourlyBuckets(from: number, to: number, timezone: string): Bucket[] {
  const short = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: timezone });
  const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short', timeZone: timezone });
  // With half-hour offsets, days don't start on the hours of UTC that counts are stored by.
  const first = from - (from % HOUR_MS);
  return Array.from({ length: Math.ceil((to - first) / HOUR_MS) }, (_, i) => {
    const at = first + i * HOUR_MS;
    return { from: at, label: short.format(at), title: `${weekday.format(at)} ${short.format(at)}` };
  });
}
