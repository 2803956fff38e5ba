import type { SemanticTags } from '../../../wallets/apple/semantics.ts';
import { type Reading, translated } from '../field-text.ts';

/** Returns the translated text of a tag; empty if the pass doesn't have it. */
export function tagText(tags: SemanticTags, name: string, reading: Reading): string {
  const value = tags[name];
  return typeof value === 'string' || typeof value === 'number' ? translated(String(value), reading) : '';
}

/** Returns the translated texts of a tag that is a list. */
export function tagTexts(tags: SemanticTags, name: string, reading: Reading): string[] {
  const list = tags[name];
  return Array.isArray(list) ? list.map((text) => translated(String(text), reading)) : [];
}

const DAY: Intl.DateTimeFormatOptions = { weekday: 'short', month: 'short', day: 'numeric' };
const TIME: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' };

/** Returns the day of an ISO 8601 time in a zone, such as `Thu, Dec 24`; undefined for anything else. */
export function dayText(iso: unknown, reading: Reading, zone: unknown = reading.timezone): string | undefined {
  return momentText(iso, reading, zone, DAY);
}

/** Returns the time of day of an ISO 8601 time in a zone. */
export function timeText(iso: unknown, reading: Reading, zone: unknown = reading.timezone): string | undefined {
  return momentText(iso, reading, zone, TIME);
}

function momentText(iso: unknown, reading: Reading, zone: unknown, options: Intl.DateTimeFormatOptions) {
  const millis = millisOf(iso);
  if (millis === undefined) return undefined;
  const timeZone = typeof zone === 'string' ? zone : reading.timezone;
  return new Intl.DateTimeFormat(reading.language, { ...options, timeZone }).format(millis);
}

/** Returns the range of days between two times. */
export function daysText(from: unknown, to: unknown, reading: Reading): string | undefined {
  const [start, end] = [millisOf(from), millisOf(to)];
  if (start === undefined || end === undefined || end < start) return dayText(from, reading);
  const format = new Intl.DateTimeFormat(reading.language, {
    month: 'short',
    day: 'numeric',
    timeZone: reading.timezone,
  });
  return format.formatRange(start, end);
}

/** Returns UTC milliseconds; undefined if the text is not an ISO 8601 time. */
export function millisOf(iso: unknown): number | undefined {
  const millis = typeof iso === 'string' ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(millis) ? undefined : millis;
}

const MINUTE_MS = 60_000;

/** Returns a duration such as `2h 50m`; undefined if it is not positive. */
export function durationText(from: unknown, to: unknown, { language }: Reading): string | undefined {
  const [start, end] = [millisOf(from), millisOf(to)];
  const minutes = start === undefined || end === undefined ? 0 : Math.round((end - start) / MINUTE_MS);
  if (minutes <= 0) return undefined;
  const part = (unit: 'hour' | 'minute', count: number) =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'narrow' }).format(count);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 && part('hour', hours), (rest > 0 || hours === 0) && part('minute', rest)]
    .filter(Boolean)
    .join(' ');
}

/** Returns the minutes from one time to the other; negative if `to` is earlier. */
export function minutesBetween(from: unknown, to: unknown): number {
  const [start, end] = [millisOf(from), millisOf(to)];
  return start === undefined || end === undefined ? 0 : Math.round((end - start) / MINUTE_MS);
}
