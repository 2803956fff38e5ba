import { type SQL, sql } from 'drizzle-orm';
import type { OffsetSpan } from '../../platform/dates.ts';
import type { AccountContext } from '../context.ts';
import { fold } from '../passes/search-index/search-terms.ts';
import { passes } from '../passes/table.ts';
import { isInside, MATCH_CHARS_MAX, type SearchContext, wordsOfIntervals } from './conditions.ts';
import { type DateYears, getDateFacts, INDEXED_DATE_NAMES, yearsOf } from './date-facts.ts';
import { canBeInDate, DatePattern, offsetsOfYears } from './date-pattern.ts';
import { builtInDate, type EndRule, endOf, endOfTemplate, endRules, wordsOfEnd } from './effective-expiration.ts';
import { type Interval, union } from './intervals.ts';
import { every, type Operands, some } from './operands.ts';
import { findParts, hasPhrase, partsOf, phraseIn, phraseInValues } from './phrase.ts';
import { anyOf, type Scope } from './scope.ts';
import type { Selection } from './selection.ts';
import { type ShownVersion, selectVersions, shownVersionsQuery } from './template-facts.ts';

/*
 * Searches a phrase in the values that a row shows. Words find texts and stored values. Names and identifiers of
 * templates, dates and device counts are compared in the format of a row. They aren't indexed in it, so a new time zone
 * or template name changes no pass.
 */

interface Search extends SearchContext {
  ctx: AccountContext;
  scope: Scope;
  parts: string[];
}

/** Returns the passes that match a phrase, as disjoint selections; undefined for a phrase that restricts nothing. */
export async function selectPhrase(
  ctx: AccountContext,
  scope: Scope,
  text: string | null | undefined,
  searchContext: SearchContext,
): Promise<Selection[] | undefined> {
  const parts = partsOf(text ?? '');
  if (parts.length === 0) return undefined;
  const search = { ...searchContext, ctx, scope, parts };
  if (canBeInDate(parts)) return selectWithDates(search);
  const changed = scope.templates.filter(({ version, publishedVersion }) => version > publishedVersion);
  const versions = changed.length > 0 ? await shownVersionsQuery(ctx, changed) : [];
  const named = findNamedTemplates(search, versions);
  const texts = excludeNamed(named, selectTexts(search, named));
  return named.areAll ? undefined : toDisjoint(named, texts, selectDeviceCounts(search));
}

/** Templates whose passes all match a phrase by name or identifier, and those of which only some versions match. */
interface NamedTemplates {
  whole?: Selection;
  some?: Selection;
  areAll: boolean;
}

function findNamedTemplates({ scope, parts, operands }: Search, versions: (ShownVersion & { name: string })[]) {
  const read = Map.groupBy(versions, ({ templateId }) => templateId);
  const shown = new Map(
    scope.templates.map(({ id, name, publishedVersion }) => [
      id,
      read.get(id) ?? [{ templateId: id, version: publishedVersion, name }],
    ]),
  );
  const has = ({ templateId, name }: { templateId: string; name: string }) =>
    hasPhrase(templateId, parts) || hasPhrase(fold(name), parts);
  const all = [...shown.values()];
  const whole = all.filter((one) => one.every(has)).flat();
  const partly = all.filter((one) => !one.every(has)).flatMap((one) => one.filter(has));
  const selection = (chosen: ShownVersion[]) =>
    chosen.length > 0 ? selectVersions(scope, shown, new Set(chosen), operands) : undefined;
  const areAll = all.length > 0 && whole.length > 0 && all.every((one) => one.every(has));
  return { whole: selection(whole), some: selection(partly), areAll };
}

/** Selects by texts of passes and by names of versions. */
function selectTexts({ parts, operands, gramScope }: Search, named: NamedTemplates): Selection {
  const found = findParts(gramScope, parts);
  const texts: Selection = {
    check: phraseInValues(parts, operands),
    words: { match: found.match, isExact: false, isScoped: false },
  };
  return named.some ? joinSelections([texts, named.some]) : texts;
}

function joinSelections(selections: Selection[]): Selection {
  const words = selections.flatMap((one) => one.words ?? []);
  const match = anyOf(words.map((one) => one.match));
  return {
    check: some(selections.map(({ check }) => check)),
    words: words.length === selections.length ? { match, isExact: false, isScoped: false } : undefined,
  };
}

/** Excludes the passes of templates that were found by their names. */
function excludeNamed({ whole }: NamedTemplates, selection: Selection): Selection {
  if (!whole) return selection;
  const { words } = selection;
  const excluded = whole.words?.isExact ? ` NOT ${whole.words.match}` : '';
  return {
    check: every([selection.check, sql`not ${whole.check}`]),
    words: words && { ...words, match: excluded ? `(${words.match}${excluded})` : words.match },
  };
}

/** Returns disjoint selections: by words, by names of templates, and by columns. */
function toDisjoint(named: NamedTemplates, words: Selection, columns: Columns | undefined): Selection[] {
  const { whole } = named;
  const found = whole ? [words, whole] : [words];
  if (!columns) return found;
  const others = found.map(({ check }) => sql`not ${check}`);
  const keys = columns.keys.map((one) => sql`passes.key in (${one})`);
  return [
    ...found,
    {
      check: every([columns.check, ...others]),
      column: { holds: some(keys), isExact: false, isScoped: true },
    },
  ];
}

/** Selection by columns that change without a new version of the pass. */
interface Columns {
  /** SQL over `passes`, never null. */
  check: SQL;
  /** Queries, each by an index, for the keys of the scope's passes that meet the check, and maybe more. */
  keys: SQL[];
}

/** Maximum number of digits of a device count: a database doesn't hold a billion registrations. */
const DEVICE_DIGITS_MAX = 9;
/** From this count on, both indexes have it. */
const DEVICES_INDEXED_FROM = 10;

/**
 * Selects by device counts that match a phrase. Such a phrase has at least two digits, because each single digit occurs
 * in some date.
 */
function selectDeviceCounts({ scope, parts, operands }: Search): Columns | undefined {
  const digits = parts.join('');
  if (!/^\d+$/.test(digits) || digits.length > DEVICE_DIGITS_MAX) return undefined;
  const least = Math.max(DEVICES_INDEXED_FROM, 10 ** (digits.length - (digits.startsWith('0') ? 0 : 1)));
  const ids = operands.list(scope.templates.map(({ id }) => id));
  const has = (column: string) => phraseIn(sql`cast(${sql.raw(column)} as text)`, parts, operands);
  const keysBy = (index: string, column: string) =>
    sql`select p.key from passes as p indexed by ${sql.raw(index)} where p.template_id in ${ids}
      and p.${sql.raw(column)} > 9 and p.${sql.raw(column)} > 1 and p.${sql.raw(column)} >= ${sql.raw(String(least))} and ${has(`p.${column}`)}`;
  return {
    check: some([has('passes.number_of_active'), has('passes.number_of_inactive')]),
    keys: [
      keysBy('passes_on_devices_by_template', 'number_of_active'),
      keysBy('passes_often_inactive_by_template', 'number_of_inactive'),
    ],
  };
}

/**
 * Selects by a phrase that may be part of a date: by intervals for indexes if they are few, else by reading each pass
 * of the scope.
 */
async function selectWithDates(search: Search): Promise<Selection[] | undefined> {
  const { years, versions } = await getDateFacts(search.ctx, search.scope);
  const named = findNamedTemplates(search, versions);
  if (named.areAll) return undefined;
  const rules = endRules(search.ctx, versions);
  const dates = hasPhrase('0', search.parts) ? undefined : selectDates(search, years, rules);
  const texts = selectTexts(search, named);
  if (!dates) return toDisjoint(named, excludeNamed(named, selectAnywhere(search, years, rules, named)), undefined);
  const devices = selectDeviceCounts(search);
  const columns = {
    check: some([dates.columns.check, ...(devices ? [devices.check] : [])]),
    keys: [...dates.columns.keys, ...(devices?.keys ?? [])],
  };
  return toDisjoint(named, excludeNamed(named, joinSelections([texts, ...dates.indexed])), columns);
}

/** Selects by dates, by the word index and by columns; undefined if there are too many intervals. */
function selectDates({ ctx, scope, parts, operands }: Search, years: DateYears, rules: EndRule[]) {
  const { timezone } = ctx.account;
  const pattern = new DatePattern(parts);
  const within = (of: number[]) => {
    const intervals = pattern.intervals(of, timezone);
    return intervals && union(intervals);
  };
  const indexed: Selection[] = [];
  for (const name of INDEXED_DATE_NAMES) {
    const intervals = within(years[name]);
    const meaning = builtInDate(ctx, scope, name);
    const words = intervals && wordsOfIntervals(meaning, intervals);
    if (!words) return undefined;
    if (intervals.length > 0) indexed.push(selectIntervals(meaning.point!, intervals, operands, words.match));
  }
  if (rules.length > 0) {
    const intervals = within(yearsOfEnds(years, rules));
    const words = intervals && wordsOfEnd(ctx, scope, rules, intervals);
    if (!words) return undefined;
    if (intervals.length > 0) {
      indexed.push(selectIntervals(endOf(scope, rules, operands), intervals, operands, words.match));
    }
  }
  const [changed, enabled] = [within(years.changed), within(years.downloadEnabledUntil)];
  const chars = indexed.reduce((sum, { words }) => sum + words!.match.length, 0);
  if (!changed || !enabled || chars > MATCH_CHARS_MAX) return undefined;
  return { indexed, columns: selectColumns(scope, operands, changed, enabled) };
}

function selectIntervals(point: SQL, intervals: Interval[], operands: Operands, match: string): Selection {
  const check = sql`coalesce(${isInside(point, intervals, operands)}, 0)`;
  return { check, words: { match, isExact: false, isScoped: false } };
}

function yearsOfEnds({ createdOn, expirationDate }: DateYears, rules: EndRule[]): number[] {
  const YEAR_MS = 366 * 86_400_000;
  const validities = [...new Set(rules.flatMap(({ validityMs }) => validityMs ?? []))];
  const [first, last] = [createdOn[0], createdOn.at(-1)];
  const shifted =
    first === undefined || last === undefined
      ? []
      : validities.map((by): [number, number] => [Date.UTC(first, 0) + by, Date.UTC(last, 0) + YEAR_MS + by]);
  const ends = rules
    .map(endOfTemplate)
    .filter((end) => end !== undefined)
    .map((end): [number, number] => [end, end]);
  return [...new Set([...expirationDate, ...yearsOf([...shifted, ...ends])])].sort((a, b) => a - b);
}

/** Selects by dates that change without a new version of the pass, through their indexes. */
function selectColumns(scope: Scope, operands: Operands, changed: Interval[], enabled: Interval[]): Columns {
  const ids = operands.each(scope.templates.map(({ id }) => id));
  const keysBy = (index: string, column: string, intervals: Interval[]) => {
    const spans = operands.each(intervals.map(({ from, to }) => [from?.value, to?.value]));
    return sql`select p.key from ${ids} as wanted cross join ${spans} as span
      cross join passes as p indexed by ${sql.raw(index)}
      where p.template_id = wanted.value and p.${sql.raw(column)} >= span.value ->> 0 and p.${sql.raw(column)} < span.value ->> 1`;
  };
  const dates: [SQL, string, string, Interval[]][] = [
    [sql`${passes.modifiedAt}`, 'passes_by_template_modified', 'modified_at', changed],
    [sql`${passes.firstDownloadedAt}`, 'passes_by_template_first_download', 'first_downloaded_at', changed],
    [
      sql`${passes.downloadEnabledUntilAt}`,
      'passes_by_template_download_enabled',
      'download_enabled_until_at',
      enabled,
    ],
  ];
  const used = dates.filter(([, , , intervals]) => intervals.length > 0);
  const checks = used.map(([point, , , intervals]) => sql`coalesce(${isInside(point, intervals, operands)}, 0)`);
  return { check: some(checks), keys: used.map(([, index, column, intervals]) => keysBy(index, column, intervals)) };
}

/** Selects by any value, compared in the format that rows show. */
function selectAnywhere(search: Search, years: DateYears, rules: EndRule[], named: NamedTemplates): Selection {
  const { ctx, scope, parts, operands } = search;
  const shown = [...new Set([...Object.values(years).flat(), ...yearsOfEnds(years, rules)])].sort((a, b) => a - b);
  const columns = [
    passes.createdAt,
    passes.modifiedAt,
    passes.expirationAt,
    passes.relevantAt,
    passes.validAsOfAt,
    passes.firstDownloadedAt,
    passes.downloadEnabledUntilAt,
  ].map((column) => sql`${column}`);
  const dates = [...columns, ...(rules.length > 0 ? [endOf(scope, rules, operands)] : [])];
  const lines = sql.join(
    dates.map((date) => shownDate(date, ctx.account.timezone, shown, operands)),
    sql` || char(10) || `,
  );
  const numbers = sql`${passes.numberOfActive} || char(10) || ${passes.numberOfInactive}`;
  const found: Selection = {
    check: some([
      phraseIn(sql`(${lines} || char(10) || ${numbers})`, parts, operands),
      phraseInValues(parts, operands),
    ]),
    words: { match: scope.match, isExact: false, isScoped: scope.isExact },
  };
  return named.some ? { ...joinSelections([found, named.some]), words: found.words } : found;
}

/** Builds a date (UTC milliseconds) in the format that a row shows; empty without one. */
function shownDate(date: SQL, timezone: string, years: number[], operands: Operands): SQL {
  const offset = offsetAt(offsetsOfYears(timezone, years), operands);
  return sql`coalesce((select strftime('%Y-%m-%d %H:%M:%S', (at + ${offset}) / 1000.0, 'unixepoch') from (select ${date} as at)), '')`;
}

/** Up to this many offsets are written out in SQL, which D1 limits to 100 KB; more become a table. */
const WRITTEN_OUT_MAX = 64;

/** Builds the milliseconds by which a time zone is ahead of UTC at `at`. */
function offsetAt(spans: OffsetSpan[], operands: Operands): SQL {
  if (spans.length > WRITTEN_OUT_MAX) {
    const table = operands.each(spans.map(({ from, offset }) => [from, offset]));
    return sql`(select span.value ->> 1 from ${table} as span where span.value ->> 0 <= at order by span.key desc limit 1)`;
  }
  const within = (from: number, to: number): string => {
    if (to - from < 2) return String(spans[from]?.offset ?? 0);
    const middle = (from + to) >> 1;
    return `case when at < ${spans[middle]!.from} then ${within(from, middle)} else ${within(middle, to)} end`;
  };
  return sql.raw(`(${within(0, spans.length)})`);
}
