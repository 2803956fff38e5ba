import { tzOffset } from '@date-fns/tz';

const MINUTE_MS = 60_000;

/** Whether an IANA time zone name is known to this runtime. */
export function isTimeZone(name: string): boolean {
  // An offset knows no summer time; engines take it all the same.
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads `Y-m-d H:i`, `Y-m-d H:i:s` or (with `T`, for flights) `Y-m-dTH:i` as local time of `timeZone`. Returns UTC
 * milliseconds, or undefined for another format or a date that does not exist. A local time that a clock change skips
 * counts from before the change.
 */
export function parseDateTime(text: string, timeZone: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})(?::(\d{2}))?$/.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second);
  const date = new Date(asUtc);
  const exists =
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  return exists ? localToUtc(asUtc, timeZone) : undefined;
}

/** Reads `Y-m-d` as the start of that day in `timeZone`; see `parseDateTime`. */
export function parseDate(text: string, timeZone: string): number | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseDateTime(`${text} 00:00`, timeZone) : undefined;
}

/** The calendar day of a moment in `timeZone`: its start, and that of the next day. UTC milliseconds. */
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
  // A second look settles the hours around a clock change; in a gap the two disagree and the offset before it holds.
  return exact + offsetMs(timeZone, exact) === local ? exact : before;
}

const OFFSETS_KEPT = 5_000;
const offsets = new Map<string, number>();

/** Passes of one event share their minutes, and the runtime takes long to look one up. */
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

/** UTC milliseconds from `from` to before `to`, in which a zone is `offset` milliseconds ahead of UTC. */
export interface OffsetSpan {
  from: number;
  to: number;
  offset: number;
}

const OFFSET_STEP_MS = 7 * 24 * 60 * MINUTE_MS;
const OFFSET_YEARS_KEPT = 2_000;
const offsetYears = new Map<string, OffsetSpan[]>();

/** The offsets of a zone in a year of UTC, in rising order. */
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
    if (offsetMs(timeZone, to - 1) !== offset) to = firstOther(timeZone, offset, same, to);
    spans.push({ from, to, offset });
  }
  offsetYears.set(`${timeZone} ${year}`, spans);
  return spans;
}

/** The first second after `same`, up to `other`, in which the offset is another one. */
function firstOther(timeZone: string, offset: number, same: number, other: number): number {
  let [low, high] = [same, other];
  while (high - low > 1_000) {
    const middle = low + Math.floor((high - low) / 2_000) * 1_000;
    if (offsetMs(timeZone, middle) === offset) low = middle;
    else high = middle;
  }
  return high;
}

/** UTC milliseconds of the beginning of a year, also of one before 100. */
export function startOfYear(year: number): number {
  return new Date(0).setUTCFullYear(year, 0, 1);
}

/** `Y-m-d H:i:s` of UTC milliseconds in `timeZone`. */
export function formatDateTime(millis: number, timeZone: string): string {
  return new Date(millis + offsetMs(timeZone, millis)).toISOString().slice(0, 19).replace('T', ' ');
}

/** `Y-m-d H:i` of UTC milliseconds in `timeZone`. */
export function formatMinute(millis: number, timeZone: string): string {
  return formatDateTime(millis, timeZone).slice(0, 16);
}

/** ISO 8601 with seconds and the zone's offset (`2026-02-03T10:00:00+01:00`), as wallets take it. */
export function formatIso(millis: number, timeZone: string): string {
  const offset = Math.round(offsetMs(timeZone, millis) / MINUTE_MS);
  const local = new Date(millis + offset * MINUTE_MS).toISOString().slice(0, 19);
  if (offset === 0) return `${local}Z`;
  const absolute = Math.abs(offset);
  const part = (n: number) => String(n).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${part(Math.floor(absolute / 60))}:${part(absolute % 60)}`;
}

/**
 * A calendar date in extended or basic form; a time behind `T` or a blank; an offset, whose plus sign an address may
 * have turned into a blank.
 */
const ISO_8601 =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|[-+ ]\d{2}(?::?\d{2})?))?)?$/i;

/**
 * UTC milliseconds of an instant in ISO 8601, with a time to the minute or finer, and read as UTC where no offset says
 * otherwise. Fractions beyond milliseconds are cut off. Undefined for another format or a date that does not exist.
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
