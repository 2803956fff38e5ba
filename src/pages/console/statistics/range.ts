import { invalidField } from '../../../domain/errors.ts';
import { HOURLY_COUNTS_DAYS } from '../../../domain/statistics/fold-counts.ts';
import { formatDateTime, parseDate } from '../../../platform/dates.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Days that one look may cover; what is read grows with them. */
export const RANGE_DAYS_MAX = 92;
/** Up to so many days are shown by the hour, unless they are so long ago that only days are known. */
const HOURLY_DAYS_MAX = 2;

/** What can be looked at, by the name in the address. */
export const RANGES = [
  { id: 'day', title: '24 hours' },
  { id: 'week', title: '7 days' },
  { id: 'month', title: '30 days' },
] as const;

/** An hour or a day of a chart. */
export interface Bucket {
  /** UTC milliseconds. */
  from: number;
  /** As short as an axis needs it. */
  label: string;
  /** In full. */
  title: string;
}

/** A time to look at: its hours or days, oldest first. */
export interface Range {
  id: (typeof RANGES)[number]['id'] | 'custom';
  buckets: Bucket[];
  /** End of the last one, UTC milliseconds. */
  to: number;
  /** First and last day, `Y-m-d` in the account's time zone. */
  firstDay: string;
  lastDay: string;
}

/**
 * The time that an address asks for, a week unless it says otherwise. Throws `invalid` for days that do not exist, are
 * the wrong way round, or too many.
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

/** Sums of counts in the buckets of a range; an hour counts where it begins. */
export function bucketed(range: Range, counts: { hourAt: number; count: number }[]): number[] {
  const sums = range.buckets.map(() => 0);
  for (const { hourAt, count } of counts) {
    const at = range.buckets.findLastIndex(({ from }) => from <= hourAt);
    if (at >= 0 && hourAt < range.to) sums[at]! += count;
  }
  return sums;
}

function dayOf(name: string, text: string | undefined, timezone: string): string {
  if (text === undefined || parseDate(text, timezone) === undefined) throw invalidField(name, 'must be a day');
  return text;
}

function daysBetween(first: string, last: string): string[] {
  const length = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  if (length < 1) throw invalidField('to', 'must not be before the first day');
  if (length > RANGE_DAYS_MAX) throw invalidField('to', `select at most ${RANGE_DAYS_MAX} days`);
  return Array.from({ length }, (_, i) => shifted(first, i));
}

/** The day so many days later, both `Y-m-d`. */
function shifted(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

function dayAfter(day: string): string {
  return shifted(day, 1);
}

function startOf(day: string, timezone: string): number {
  return parseDate(day, timezone)!;
}

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
  // In zones of half hours a day begins within an hour of UTC, by which is counted.
  const first = from - (from % HOUR_MS);
  return Array.from({ length: Math.ceil((to - first) / HOUR_MS) }, (_, i) => {
    const at = first + i * HOUR_MS;
    return { from: at, label: short.format(at), title: `${weekday.format(at)} ${short.format(at)}` };
  });
}
