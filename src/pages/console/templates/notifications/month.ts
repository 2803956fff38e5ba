import type { CalendarSpan } from '../../../../domain/notifications/list-month.ts';
import { formatMinute, parseDate } from '../../../../platform/dates.ts';

/** A month in the account's time zone. */
export interface Month {
  /** `Y-m` */
  name: string;
  /** Display name. */
  title: string;
  span: CalendarSpan;
  previous: string;
  next: string;
  /** Weeks, starting on Monday; null for days of other months. */
  weeks: (number | null)[][];
}

/** Returns the month of a text (`Y-m`), or the month of `now` (UTC milliseconds), in a time zone. */
export function monthOf(text: string | undefined, now: number, timezone: string): Month {
  const name = text !== undefined && /^(19|20|21)\d{2}-(0[1-9]|1[0-2])$/.test(text) ? text : monthName(now, timezone);
  const [year, month] = name.split('-').map(Number) as [number, number];
  const start = (offset: number) => new Date(Date.UTC(year, month - 1 + offset, 1)).toISOString().slice(0, 7);
  const title = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return {
    name,
    title: title.format(Date.UTC(year, month - 1, 1)),
    span: { from: parseDate(`${name}-01`, timezone)!, to: parseDate(`${start(1)}-01`, timezone)! },
    previous: start(-1),
    next: start(1),
    weeks: weeksOf(year, month),
  };
}

/** Returns `Y-m` for a time. */
export const monthName = (at: number, timezone: string): string => formatMinute(at, timezone).slice(0, 7);

/** Returns the day of the month for a time. */
export const dayOf = (at: number, timezone: string): number => Number(formatMinute(at, timezone).slice(8, 10));

function weeksOf(year: number, month: number): (number | null)[][] {
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const before = (new Date(Date.UTC(year, month - 1, 1)).getUTCDay() + 6) % 7;
  const cells = [...Array<null>(before).fill(null), ...Array.from({ length: days }, (_, i) => i + 1)];
  while (cells.length % 7 !== 0) cells.push(null);
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}
