import { offsetsInYear, startOfYear } from '../../platform/dates.ts';
import type { Interval } from './intervals.ts';

/*
 * Finds the dates whose format `2026-12-24 09:10:00` in the account's time zone contains a phrase, as intervals for the
 * index.
 */

const DIGITS = '0123456789';
/**
 * Characters that are possible at each place of a date: only some digits start a month, a day, an hour and a minute.
 */
const FIRST: Record<string, string> = { d: DIGITS, M: '01', D: '0123', h: '012', m: '012345' };
const PLACES = Array.from('dddd-Md-Dd hd:md:md', (place) => FIRST[place] ?? place);

/** Whether a date can contain a phrase with these parts. */
export function canBeInDate(parts: string[]): boolean {
  let at = 0;
  for (const part of parts) {
    while (at + part.length <= PLACES.length && !fits(part, at)) at += 1;
    if (at + part.length > PLACES.length) return false;
    at += part.length;
  }
  return true;
}

function fits(part: string, at: number): boolean {
  return Array.from(part).every((char, i) => PLACES[at + i]!.includes(char));
}

/** Milliseconds; the start is included, the end is not. */
type Span = [from: number, to: number];

/** Maximum number of intervals of one phrase; with more, formatted dates are compared. */
const INTERVALS_MAX = 400;

const DAY_MS = 86_400_000;
/** Hours, minutes and seconds of a date: their number, their length, and the character after their two digits. */
const UNITS = [
  { count: 24, millis: 3_600_000, after: ':' },
  { count: 60, millis: 60_000, after: ':' },
  { count: 60, millis: 1_000, after: '' },
];

/** Matches a phrase against the dates of some years. */
export class DatePattern {
  #parts: string[];
  #times = new Map<string, Span[]>();

  constructor(parts: string[]) {
    this.#parts = parts;
  }

  /**
   * Returns the instants in these years (ascending) whose format contains the phrase; undefined if there are too many.
   */
  intervals(years: number[], timeZone: string): Interval[] | undefined {
    const local: Span[] = [];
    for (const year of years) {
      this.#addYear(local, year);
      if (local.length > INTERVALS_MAX) return undefined;
    }
    const found = local.flatMap(([from, to]) =>
      offsetsAround(timeZone, from, to).flatMap((span): Interval[] => {
        const [first, end] = [Math.max(from - span.offset, span.from), Math.min(to - span.offset, span.to)];
        return first < end ? [{ from: { value: first, open: false }, to: { value: end, open: true } }] : [];
      }),
    );
    return found.length > INTERVALS_MAX ? undefined : found;
  }

  #addYear(spans: Span[], year: number): void {
    const ofYear = this.#after(START, `${String(year).padStart(4, '0')}-`);
    if (this.#has(ofYear)) {
      add(spans, startOfYear(year), startOfYear(year + 1));
      return;
    }
    const date = new Date(startOfYear(year));
    const months = new Map<number, Place>();
    for (; date.getUTCFullYear() === year && spans.length <= INTERVALS_MAX; date.setTime(date.getTime() + DAY_MS)) {
      const month = date.getUTCMonth() + 1;
      const ofMonth = months.get(month) ?? this.#after(ofYear, `${twoDigits(month)}-`);
      months.set(month, ofMonth);
      const ofDay = this.#has(ofMonth) ? ofMonth : this.#after(ofMonth, `${twoDigits(date.getUTCDate())} `);
      const at = date.getTime();
      if (this.#has(ofDay)) add(spans, at, at + DAY_MS);
      else for (const [from, to] of this.#timesAfter(ofDay, 0)) add(spans, at + from, at + to);
    }
  }

  /** Returns the matching times in a day, an hour or a minute, given the match so far. */
  #timesAfter(place: Place, unit: number): Span[] {
    const key = `${place.part} ${place.seen} ${unit}`;
    const known = this.#times.get(key);
    if (known) return known;
    const spans: Span[] = [];
    const { count, millis, after } = UNITS[unit]!;
    for (let i = 0; i < count; i++) {
      const next = this.#after(place, twoDigits(i) + after);
      if (this.#has(next)) add(spans, i * millis, (i + 1) * millis);
      else if (unit + 1 < UNITS.length) {
        for (const [from, to] of this.#timesAfter(next, unit + 1)) add(spans, i * millis + from, i * millis + to);
      }
    }
    this.#times.set(key, spans);
    return spans;
  }

  /** Advances the match over more characters of a date. */
  #after(place: Place, text: string): Place {
    let { part, seen } = place;
    for (const char of text) {
      const wanted = this.#parts[part];
      if (wanted === undefined) break;
      seen += char;
      while (!wanted.startsWith(seen)) seen = seen.slice(1);
      if (seen === wanted) [part, seen] = [part + 1, ''];
    }
    return { part, seen };
  }

  #has({ part }: Place): boolean {
    return part === this.#parts.length;
  }
}

/** State of a match: the number of complete parts, and the matched start of the next one. */
interface Place {
  part: number;
  seen: string;
}

const START: Place = { part: 0, seen: '' };

const twoDigits = (n: number) => String(n).padStart(2, '0');

function add(spans: Span[], from: number, to: number): void {
  const last = spans.at(-1);
  if (last && last[1] === from) last[1] = to;
  else spans.push([from, to]);
}

function offsetsAround(timeZone: string, from: number, to: number) {
  const [first, last] = [from - DAY_MS, to + DAY_MS].map((millis) => new Date(millis).getUTCFullYear());
  return offsetsOfYears(
    timeZone,
    Array.from({ length: last! - first! + 1 }, (_, i) => first! + i),
  );
}

/** Returns the UTC offsets of a time zone in some years (ascending), merging equal neighbors. */
export function offsetsOfYears(timeZone: string, years: number[]) {
  const joined: { from: number; to: number; offset: number }[] = [];
  for (const span of years.flatMap((year) => offsetsInYear(timeZone, year))) {
    const last = joined.at(-1);
    if (last && last.offset === span.offset && last.to === span.from) last.to = span.to;
    else joined.push({ ...span });
  }
  return joined;
}
