import { type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { startOfYear } from '../../platform/dates.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { INDEXED_DATES } from '../passes/search-index/pass-document.ts';
import { codeOf, type PointPrecision, pointOfBits, pointTerm } from '../passes/search-index/search-terms.ts';
import type { Scope } from './scope.ts';
import { shownVersionsQuery } from './template-facts.ts';

/** Dates in the word index. */
export type IndexedDate = keyof typeof INDEXED_DATES;
export const INDEXED_DATE_NAMES = Object.keys(INDEXED_DATES) as IndexedDate[];

/** Years, ascending, in which the passes of a scope have dates; may include some more. */
export interface DateYears extends Record<IndexedDate, number[]> {
  /** Years of `modifiedOn` and `firstDownloadedAt`: between the first created pass and now. */
  changed: number[];
  downloadEnabledUntil: number[];
}

/** Inclusive bounds in UTC milliseconds. */
type Range = [first: number, last: number];

/**
 * Returns the facts about a scope that a phrase needs if it may be part of a date. One round trip, two with dates in
 * the far future. Reads versions of templates and, per two years with dates, one index entry.
 */
export async function getDateFacts(ctx: AccountContext, scope: Scope) {
  const broad = INDEXED_DATE_NAMES.map((name) => wordRange(scope, name, BROAD));
  const [words, enabled, versions] = (await ctx.db.batch([
    distinctWords(ctx, broad),
    enabledQuery(ctx, scope),
    shownVersionsQuery(ctx, scope.templates),
  ] as unknown as [BatchItem<'sqlite'>])) as unknown as [
    DistinctWord[],
    { at: number }[],
    Awaited<ReturnType<typeof shownVersionsQuery>>,
  ];
  const ranges = await narrowRanges(
    ctx,
    scope,
    words.map(({ place, word }) => [INDEXED_DATE_NAMES[place]!, word]),
  );
  const of = (name: IndexedDate) => yearsOf(ranges.flatMap(([field, range]) => (field === name ? [range] : [])));
  const createdOn = of('createdOn');
  const now = Date.now();
  const changed = createdOn[0] === undefined ? [] : yearsOf([[Date.UTC(createdOn[0], 6), now + YEAR_MS]]);
  const enabledYears = enabled.map(({ at }): Range => [startOfYear(yearAt(at)), startOfYear(yearAt(at) + 1)]);
  const years: DateYears = {
    createdOn,
    expirationDate: of('expirationDate'),
    relevantDate: of('relevantDate'),
    validAsOfDate: of('validAsOfDate'),
    changed,
    downloadEnabledUntil: yearsOf(enabledYears),
  };
  return { years, versions };
}

const DAY_MS = 86_400_000;
const YEAR_MS = 366 * DAY_MS;
/** Precision of the broadest words of dates, and the precision that separates years in the far future. */
const BROAD: PointPrecision = 4;
const NARROW: PointPrecision = 6;
/** Up to this width, the broadest words are as good as years. */
const BROAD_MS_MAX = 3 * YEAR_MS;
const NARROW_WORDS_MAX = 500;

interface DistinctWord {
  place: number;
  word: string;
}

function wordRange(scope: Scope, name: IndexedDate, precision: PointPrecision, digits = ''): [string, string] {
  const first = pointTerm('date', precision, scope.builtIn.scope, codeOf(name), digits);
  // A `z` sorts after every word that continues with digits.
  return [first, `${first}z`];
}

function distinctWords(ctx: AccountContext, ranges: [string, string][], limit = -1) {
  return rawStatement<DistinctWord>(
    ctx.db,
    sql`select span.key as place, pass_term_counts.term as word from json_each(${JSON.stringify(ranges)}) as span
      cross join pass_term_counts
      where pass_term_counts.term >= span.value ->> 0 and pass_term_counts.term <= span.value ->> 1 limit ${limit}`,
  );
}

/**
 * Narrows the ranges of dates in the far future. There the broadest words span decades, so finer words locate the
 * dates.
 */
async function narrowRanges(ctx: AccountContext, scope: Scope, words: [IndexedDate, string][]) {
  const ranges = words.map(([name, word]): [IndexedDate, Range, string] => [name, rangeOf(word), digitsOf(word)]);
  const wide = ranges.filter(([, [first, last]]) => last - first > BROAD_MS_MAX);
  const others = ranges.filter((one) => !wide.includes(one)).map(([name, range]) => [name, range] as const);
  if (wide.length === 0) return others;
  const spans = wide.map(([name, , digits]) => wordRange(scope, name, NARROW, digits));
  const found = await distinctWords(ctx, spans, NARROW_WORDS_MAX);
  if (found.length === NARROW_WORDS_MAX) return ranges.map(([name, range]) => [name, range] as const);
  return [...others, ...found.map(({ place, word }) => [wide[place]![0], rangeOf(word)] as const)];
}

function digitsOf(word: string): string {
  return word.slice(word.lastIndexOf('z') + 1);
}

function rangeOf(word: string): Range {
  const bits = (fill: string) => BigInt(`0x${digitsOf(word).padEnd(16, fill)}`);
  return [pointOfBits(bits('0')), pointOfBits(bits('f'))];
}

/**
 * Selects one time per year in which an enabled download ends. Reads one index entry per template and year, and one
 * more.
 */
function enabledQuery(ctx: AccountContext, { templates }: Scope) {
  const ids = JSON.stringify(templates.map(({ id }) => id));
  const firstOf = (template: SQL, bound: SQL) => sql`(select min(p.download_enabled_until_at) from passes as p
    where p.template_id = ${template} and p.download_enabled_until_at ${bound})`;
  const nextYear = sql`>= 1000 * unixepoch(strftime('%Y-01-01', found.at / 1000, 'unixepoch', '+1 year'))`;
  return rawStatement<{ at: number }>(
    ctx.db,
    sql`with recursive found(template, at) as (
        select wanted.value, ${firstOf(sql`wanted.value`, sql`is not null`)} from json_each(${ids}) as wanted
        union all
        select found.template, ${firstOf(sql`found.template`, nextYear)} from found where found.at is not null
      ) select distinct at from found where at is not null`,
  );
}

/** Returns the years of some ranges of time, in any time zone. */
export function yearsOf(ranges: Range[]): number[] {
  const years = new Set<number>();
  for (const [first, last] of ranges) {
    const [from, to] = [yearAt(first - DAY_MS), yearAt(last + DAY_MS)];
    for (let year = from; year <= to; year++) years.add(year);
  }
  return [...years].sort((a, b) => a - b);
}

const [FIRST_MS, LAST_MS] = [startOfYear(0), startOfYear(10_000) - 1];

function yearAt(millis: number): number {
  return new Date(Math.min(LAST_MS, Math.max(FIRST_MS, millis))).getUTCFullYear();
}
