import type { SemanticTags } from '../../../wallets/apple/semantics.ts';
import { type Reading, translated } from '../field-text.ts';

/** A tag as the reader sees it; empty for one that the pass does not have. */
export function tagText(tags: SemanticTags, name: string, reading: Reading): string {
  const value = tags[name];
  return typeof value === 'string' || typeof value === 'number' ? translated(String(value), reading) : '';
}

/** The texts of a tag that is a list. */
export function tagTexts(tags: SemanticTags, name: string, reading: Reading): string[] {
  const list = tags[name];
  return Array.isArray(list) ? list.map((text) => translated(String(text), reading)) : [];
}

const DAY: Intl.DateTimeFormatOptions = { weekday: 'short', month: 'short', day: 'numeric' };
const TIME: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' };

/** The day of an ISO 8601 moment in a zone, such as `Thu, Dec 24`; undefined for what is none. */
export function dayText(iso: unknown, reading: Reading, zone: unknown = reading.timezone): string | undefined {
  return momentText(iso, reading, zone, DAY);
}

/** The time of day of a moment in a zone. */
export function timeText(iso: unknown, reading: Reading, zone: unknown = reading.timezone): string | undefined {
  return momentText(iso, reading, zone, TIME);
}

function momentText(iso: unknown, reading: Reading, zone: unknown, options: Intl.DateTimeFormatOptions) {
  const millis = millisOf(iso);
  if (millis === undefined) return undefined;
  const timeZone = typeof zone === 'string' ? zone : reading.timezone;
  return new Intl.DateTimeFormat(reading.language, { ...options, timeZone }).format(millis);
}

/** The days from one moment to another. */
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

/** UTC milliseconds of an ISO 8601 text. */
export function millisOf(iso: unknown): number | undefined {
  const millis = typeof iso === 'string' ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(millis) ? undefined : millis;
}

const MINUTE_MS = 60_000;

/** How long something lasts, such as `2h 50m`; undefined unless it lasts. */
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

/** Minutes by which a moment is later than another. */
export function minutesBetween(from: unknown, to: unknown): number {
  const [start, end] = [millisOf(from), millisOf(to)];
  return start === undefined || end === undefined ? 0 : Math.round((end - start) / MINUTE_MS);
}
