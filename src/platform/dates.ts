import { tzOffset } from '@date-fns/tz';

const MINUTE_MS = 60_000;

/** Returns whether this runtime knows an IANA time zone name. */
export function isTimeZone(name: string): boolean {
  // Engines accept an offset, but it has no daylight saving time.
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads `Y-m-d H:i`, `Y-m-d H:i:s` or (for flights) `Y-m-dTH:i` as local time in `timeZone`. Returns UTC milliseconds,
 * or undefined for another format or a date that doesn't exist. A local time that a clock change skips uses the offset
 * from before the change.
 */
export function parseDateTime(text: string, timeZone: string): number | undefined {
  if (!/^(?!00)\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?$/.test(text)) return undefined;
  const iso = `${text}:00`.slice(0, 19).replace(' ', 'T');
  const local = new Date(`${iso}Z`);
  // A date such as February 30 becomes March 2; `toJSON` is null for dates such as February 32.
  return local.toJSON()?.startsWith(iso) ? localToUtc(local.getTime(), timeZone) : undefined;
}

/**
 * Reads a local time like `parseDateTime`, as the start of a period: one that a clock change skips is the time of the
 * change, because clocks show a later time from then on.
 */
export function parseSince(text: string, timeZone: string): number | undefined {
  const millis = parseDateTime(text, timeZone);
  if (millis === undefined || formatMinute(millis, timeZone) === text.slice(0, 16).replace('T', ' ')) return millis;
  return offsetsInYear(timeZone, new Date(millis).getUTCFullYear()).find(({ to }) => to > millis)!.from;
}

/** Reads `Y-m-d` as the start of that day in `timeZone`; see `parseDateTime`. */
export function parseDate(text: string, timeZone: string): number | undefined {
  return parseDateTime(`${text} 00:00`, timeZone);
}

/** Returns the calendar day of a time in `timeZone`: its start and the start of the next day, in UTC milliseconds. */
export function dayOf(millis: number, timeZone: string): { start: number; end: number } {
  const startOf = (date: string) => parseDate(date, timeZone)!;
  const date = formatDateTime(millis, timeZone).slice(0, 10);
  const next = new Date(Date.parse(`${date}T00:00:00Z`) + 24 * 60 * MINUTE_MS).toISOString().slice(0, 10);
  return { start: startOf(date), end: startOf(next) };
}

function localToUtc(local: number, timeZone: string): number {
  if (timeZone === 'UTC') return local;
  const before = local - offsetMs(timeZone, local - 24 * 60 * MINUTE_MS);
  const exact = local - offsetMs(timeZone, before);
  // A second lookup settles the hours around a clock change. In a gap, the two disagree and the earlier offset applies.
  return exact + offsetMs(timeZone, exact) === local ? exact : before;
}

const OFFSETS_KEPT = 5_000;
const offsets = new Map<string, number>();

/**
 * Returns the zone's offset. Cached by minute, because passes of one event share their times and the runtime's lookup
 * is slow.
 */
function offsetMs(timeZone: string, utc: number): number {
  if (timeZone === 'UTC') return 0;
  const key = `${timeZone} ${Math.floor(utc / MINUTE_MS)}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  if (offsets.size >= OFFSETS_KEPT) offsets.clear();
  const offset = tzOffset(timeZone, new Date(utc)) * MINUTE_MS;
  offsets.set(key, offset);
  return offset;
}

/** A span of UTC milliseconds, excluding `to`, in which a zone is `offset` milliseconds ahead of UTC. */
export interface OffsetSpan {
  from: number;
  to: number;
  offset: number;
}

const OFFSET_STEP_MS = 7 * 24 * 60 * MINUTE_MS;
const OFFSET_YEARS_KEPT = 2_000;
const offsetYears = new Map<string, OffsetSpan[]>();

/** Returns the offsets of a zone in a UTC year, in ascending order. */
export function offsetsInYear(timeZone: string, year: number): OffsetSpan[] {
  const known = offsetYears.get(`${timeZone} ${year}`);
  if (known) return known;
  if (offsetYears.size >= OFFSET_YEARS_KEPT) offsetYears.clear();
  const end = startOfYear(year + 1);
  const spans: OffsetSpan[] = [];
  for (let from = startOfYear(year); from < end; from = spans.at(-1)!.to) {
    const offset = offsetMs(timeZone, from);
    let [same, to] = [from, Math.min(end, from + OFFSET_STEP_MS)];
    while (to < end && offsetMs(timeZone, to) === offset) [same, to] = [to, Math.min(end, to + OFFSET_STEP_MS)];
    if (offsetMs(timeZone, to - 1) !== offset) to = findOffsetChange(timeZone, offset, same, to);
    spans.push({ from, to, offset });
  }
  offsetYears.set(`${timeZone} ${year}`, spans);
  return spans;
}

/** Returns the first second after `same`, up to `other`, with another offset. */
function findOffsetChange(timeZone: string, offset: number, same: number, other: number): number {
  let [low, high] = [same, other];
  while (high - low > 1_000) {
    const middle = low + Math.floor((high - low) / 2_000) * 1_000;
    if (offsetMs(timeZone, middle) === offset) low = middle;
    else high = middle;
  }
  return high;
}

/** Returns the start of a year in UTC milliseconds, also for years before 100. */
export function startOfYear(year: number): number {
  return new Date(0).setUTCFullYear(year, 0, 1);
}

/** Formats UTC milliseconds as `Y-m-d H:i:s` in `timeZone`. */
export function formatDateTime(millis: number, timeZone: string): string {
  return new Date(millis + offsetMs(timeZone, millis)).toISOString().slice(0, 19).replace('T', ' ');
}

/** Formats UTC milliseconds as `Y-m-d H:i` in `timeZone`. */
export function formatMinute(millis: number, timeZone: string): string {
  return formatDateTime(millis, timeZone).slice(0, 16);
}

/**
 * Formats UTC milliseconds as ISO 8601 with seconds and the zone's offset (`2026-02-03T10:00:00+01:00`), as wallets
 * expect it.
 */
export function formatIso(millis: number, timeZone: string): string {
  const offset = Math.round(offsetMs(timeZone, millis) / MINUTE_MS);
  const local = new Date(millis + offset * MINUTE_MS).toISOString().slice(0, 19);
  if (offset === 0) return `${local}Z`;
  const absolute = Math.abs(offset);
  const part = (n: number) => String(n).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${part(Math.floor(absolute / 60))}:${part(absolute % 60)}`;
}

/**
 * A calendar date in extended or basic form, an optional time after `T` or a space, and an optional offset. In a URL,
 * its plus sign may have become a space.
 */
const ISO_8601 =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|[-+ ]\d{2}(?::?\d{2})?))?)?$/i;

/**
 * Reads an ISO 8601 date or time; without an offset it is UTC. Returns UTC milliseconds, or undefined for another
 * format or a date that doesn't exist. Truncates fractions beyond milliseconds.
 */
export function parseIso(text: string): number | undefined {
  const match = ISO_8601.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = match;
  const wall = parseDateTime(`${year}-${month}-${day} ${hour}:${minute}:${second}`, 'UTC');
  const [hours = 0, minutes = 0] = offset.toUpperCase() === 'Z' ? [] : offset.match(/\d{2}/g)!.map(Number);
  if (wall === undefined || hours > 23 || minutes > 59) return undefined;
  const ahead = (hours * 60 + minutes) * MINUTE_MS * (offset.startsWith('-') ? -1 : 1);
  return wall + Number(fraction.padEnd(3, '0').slice(0, 3)) - ahead;
}
