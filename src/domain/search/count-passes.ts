import { type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import type { ResolvedQuery } from './check-query.ts';
import { every } from './operands.ts';
import type { Plan } from './plan.ts';
import { matchOf, mergeIntervals } from './plan.ts';
import { isInScope } from './scope.ts';
import type { Selection } from './selection.ts';

interface Summand {
  sign: 1 | -1;
  count: SQL;
}

/** Negations of a group that are counted by what they leave out; each one doubles the counts. */
const COMPLEMENTS_MAX = 3;

/**
 * The exact number of passes that a query selects, in one round trip. Without conditions it reads kept counts, for one
 * condition on words the index's count per word, else one entry or row per candidate. A negation subtracts the passes
 * that it excludes, so it costs as much as its opposite.
 */
export async function countSelected(ctx: AccountContext, plan: Plan): Promise<number> {
  const gathered = plan.reduce((sum, { source }) => sum + (source.keys?.length ?? 0), 0);
  const asked = plan.filter(({ source }) => !source.keys).map(({ query }) => query);
  const known = asked.filter((query) => query.groups.length === 0 && query.scope.isExact);
  const summands = asked.filter((query) => !known.includes(query)).flatMap(summandsOf);
  const kept = gathered + known.reduce((sum, query) => sum + keptCount(query), 0);
  if (summands.length === 0) return kept;
  const results = await ctx.db.batch(
    summands.map(({ count }) => rawStatement(ctx.db, count)) as BatchItem<'sqlite'>[] as [BatchItem<'sqlite'>],
  );
  return (results as { passes: number }[][]).reduce((sum, [row], i) => sum + summands[i]!.sign * row!.passes, kept);
}

function keptCount({ scope }: ResolvedQuery): number {
  return scope.templates.reduce((sum, { passCount }) => sum + passCount, 0);
}

function summandsOf(query: ResolvedQuery): Summand[] {
  const [group, ...others] = query.groups;
  if (!group) return [{ sign: 1, count: countGroup(query, []) }];
  if (others.length > 0) return [{ sign: 1, count: countGroups(query, query.groups) }];
  const negations = group.filter(({ opposite }) => opposite);
  if (negations.length === 0 || negations.length > COMPLEMENTS_MAX)
    return [{ sign: 1, count: countGroup(query, group) }];
  return complements(
    query,
    group.filter(({ opposite }) => !opposite),
    negations.map(({ opposite }) => opposite!),
  );
}

/** Those with the conditions and none of what is left out: without those that have also the first of it. */
function complements(query: ResolvedQuery, group: Selection[], leftOut: Selection[]): Summand[] {
  const [first, ...others] = leftOut;
  if (!first) return [{ sign: 1, count: countGroup(query, group) }];
  const without = complements(query, [...group, first], others);
  return [
    ...complements(query, group, others),
    ...without.map(({ sign, count }): Summand => ({ sign: sign === 1 ? -1 : 1, count })),
  ];
}

function countGroup(query: ResolvedQuery, group: Selection[]): SQL {
  if (group.length === 0 && query.scope.isExact) return sql`select ${keptCount(query)} as passes`;
  const [words, ...others] = mergeIntervals(group.flatMap((one) => one.words ?? []));
  const isDecidedByWords = others.length === 0 && group.every((one) => one.words);
  if (isDecidedByWords && words?.isExact && words.isScoped && words.spans) {
    const { spans, without = [] } = words;
    const signed = [...spans.map((span) => [...span, 1]), ...without.map((span) => [...span, -1])];
    return sql`select coalesce(sum(pass_term_counts.doc * (span.value ->> 2)), 0) as passes from json_each(${JSON.stringify(signed)}) as span
      cross join pass_term_counts
      where pass_term_counts.term >= span.value ->> 0 and pass_term_counts.term <= span.value ->> 1`;
  }
  const isColumn = group.some(({ column }) => column?.isExact || column?.isScoped);
  if (isColumn && !matchOf(query, [group]).isNarrow) return countByColumn(query, group);
  return countGroups(query, group.length > 0 ? [group] : []);
}

/** Counts by the index of a column what its condition selects, without reading the passes if it is the only one. */
function countByColumn({ scope, operands }: ResolvedQuery, group: Selection[]): SQL {
  const conditions = group.flatMap(({ check, column }) => {
    if (column?.isScoped) return [column.holds, check];
    return column?.isExact ? column.holds : check;
  });
  const isScoped = group.some(({ column }) => column?.isScoped);
  const holds = every(isScoped ? conditions : [isInScope(scope, operands), ...conditions]);
  return sql`${operands.common} select count(*) as passes from passes where ${holds}`;
}

function countGroups(query: ResolvedQuery, groups: Selection[][]): SQL {
  const { match, check } = matchOf(query, groups);
  if (!check) return sql`select count(*) as passes from pass_terms where pass_terms match ${match}`;
  return sql`${query.operands.common} select count(*) as passes from pass_terms
    cross join passes on passes.key = pass_terms.rowid where pass_terms match ${match} and ${check}`;
}
