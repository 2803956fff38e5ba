import { type SQL, sql } from 'drizzle-orm';
import { allOf, type BatchPart, EMPTY_PART, readPart } from '../../platform/batch-part.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import type { ResolvedQuery } from './check-query.ts';
import { every } from './operands.ts';
import type { Plan } from './plan.ts';
import { matchOf, mergeIntervals } from './plan.ts';
import { isInScope } from './scope.ts';
import type { Selection } from './selection.ts';

interface Summand extends Count {
  sign: 1 | -1;
}

interface Count {
  count: SQL;
  /** Whether the count comes from the word index, without reading passes. */
  isByWords: boolean;
  /** Whether it sums the counts of all words in a range. */
  isRange?: boolean;
}

/**
 * Maximum number of negations in a group that are counted by their complements; each one doubles the number of counts.
 */
const COMPLEMENTS_MAX = 3;

/**
 * Returns the exact number of passes that a query selects. One round trip. Without conditions it reads stored counts,
 * for one condition on words the count per word, else one entry or row per candidate. A negation costs as much as its
 * opposite, whose count is subtracted.
 */
export function countSelected(ctx: AccountContext, plan: Plan): Promise<number> {
  return readPart(ctx.db, countPart(ctx, plan));
}

/** Builds the queries of `countSelected`. */
export function countPart(ctx: AccountContext, plan: Plan): BatchPart<number> {
  const parts = allOf(plan.map((one) => sumPart(ctx, knownCount(one) ?? summandsOf(one.query))));
  return { ...parts, read: (results) => parts.read(results).reduce((sum, count) => sum + count, 0) };
}

function sumPart(ctx: AccountContext, count: number | Summand[]): BatchPart<number> {
  if (typeof count === 'number') return { queries: [], read: () => count };
  return {
    queries: count.map(({ count: query }) => rawStatement(ctx.db, query)),
    read(results) {
      return (results as { passes: number }[][]).reduce((sum, [row], i) => sum + count[i]!.sign * row!.passes, 0);
    },
  };
}

/**
 * Builds the queries that count the passes of one source beside a page of `limit` passes; undefined if the page holds
 * all. Empty unless the word index knows the count: a count that reads passes again runs only if there are more.
 */
export function countBeside(ctx: AccountContext, one: Plan[number], limit: number): BatchPart<number | undefined> {
  const count = knownCount(one) ?? summandsOf(one.query);
  if (typeof count === 'number') return sumPart(ctx, count);
  const { source } = one;
  if (source.keys || !count.every(({ isByWords }) => isByWords)) return EMPTY_PART;
  if (!count.some(({ isRange }) => isRange)) return sumPart(ctx, count);
  // Summing a range costs more than reading a few passes.
  const isMore = sql`exists (select 1 from pass_terms where pass_terms match ${source.match.match} limit 1 offset ${limit - 1})`;
  const sum = count.map(({ sign, count: query }) => sql`${sql.raw(String(sign))} * (${query})`);
  return {
    queries: [rawStatement(ctx.db, sql`select case when ${isMore} then ${sql.join(sum, sql` + `)} end as passes`)],
    read: (results) => (results as { passes: number | null }[][])[0]![0]!.passes ?? undefined,
  };
}

/** Returns the number of passes of one source if it is stored or its passes were gathered. */
export function knownCount({ query, source }: Plan[number]): number | undefined {
  if (source.keys) return source.keys.length;
  return query.groups.length === 0 && query.scope.isExact ? keptCount(query) : undefined;
}

function keptCount({ scope }: ResolvedQuery): number {
  return scope.templates.reduce((sum, { passCount }) => sum + passCount, 0);
}

function summandsOf(query: ResolvedQuery): Summand[] {
  const [group, ...others] = query.groups;
  if (!group) return [{ sign: 1, ...countGroup(query, []) }];
  if (others.length > 0) return [{ sign: 1, ...countGroups(query, query.groups) }];
  const negations = group.filter(({ opposite }) => opposite);
  if (negations.length === 0 || negations.length > COMPLEMENTS_MAX) return [{ sign: 1, ...countGroup(query, group) }];
  return complements(
    query,
    group.filter(({ opposite }) => !opposite),
    negations.map(({ opposite }) => opposite!),
  );
}

/** Counts the passes that meet the conditions and none of the negated ones, by inclusion and exclusion. */
function complements(query: ResolvedQuery, group: Selection[], leftOut: Selection[]): Summand[] {
  const [first, ...others] = leftOut;
  if (!first) return [{ sign: 1, ...countGroup(query, group) }];
  const without = complements(query, [...group, first], others);
  return [
    ...complements(query, group, others),
    ...without.map((one): Summand => ({ ...one, sign: one.sign === 1 ? -1 : 1 })),
  ];
}

function countGroup(query: ResolvedQuery, group: Selection[]): Count {
  if (group.length === 0 && query.scope.isExact)
    return { count: sql`select ${keptCount(query)} as passes`, isByWords: true };
  const [words, ...others] = mergeIntervals(group.flatMap((one) => one.words ?? []));
  const isDecidedByWords = others.length === 0 && group.every((one) => one.words);
  if (isDecidedByWords && words?.isExact && words.isScoped && words.spans) {
    const { spans, excludedSpans = [] } = words;
    const signed = [...spans.map((span) => [...span, 1]), ...excludedSpans.map((span) => [...span, -1])];
    const count = sql`select coalesce(sum(pass_term_counts.doc * (span.value ->> 2)), 0) as passes from json_each(${JSON.stringify(signed)}) as span
      cross join pass_term_counts
      where pass_term_counts.term >= span.value ->> 0 and pass_term_counts.term <= span.value ->> 1`;
    return { count, isByWords: true, isRange: signed.some(([from, to]) => from !== to) };
  }
  const isColumn = group.some(({ column }) => column?.isExact || column?.isScoped);
  const isByColumn = isColumn && !matchOf(query, [group]).isNarrow;
  return isByColumn
    ? { count: countByColumn(query, group), isByWords: false }
    : countGroups(query, group.length > 0 ? [group] : []);
}

/** Counts by the index of a column. Reads no passes if the group has only that condition. */
function countByColumn({ scope, operands }: ResolvedQuery, group: Selection[]): SQL {
  const conditions = group.flatMap(({ check, column }) => {
    if (column?.isScoped) return [column.holds, check];
    return column?.isExact ? column.holds : check;
  });
  const isScoped = group.some(({ column }) => column?.isScoped);
  const holds = every(isScoped ? conditions : [isInScope(scope, operands), ...conditions]);
  return sql`${operands.common} select count(*) as passes from passes where ${holds}`;
}

function countGroups(query: ResolvedQuery, groups: Selection[][]): Count {
  const { match, check } = matchOf(query, groups);
  if (!check) {
    return { count: sql`select count(*) as passes from pass_terms where pass_terms match ${match}`, isByWords: true };
  }
  const count = sql`${query.operands.common} select count(*) as passes from pass_terms
    cross join passes on passes.key = pass_terms.rowid where pass_terms match ${match} and ${check}`;
  return { count, isByWords: false };
}
