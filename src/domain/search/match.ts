import type { SQL } from 'drizzle-orm';
import type { ResolvedQuery } from './check-query.ts';
import { type Interval, intersection } from './intervals.ts';
import { every, some } from './operands.ts';
import { anyOf, isInScope, type Scope } from './scope.ts';
import { NOTHING, type ReadTable, type Selection, type WordSelection } from './selection.ts';

/** How the index of words finds the passes of a query. */
export interface Match {
  /** FTS5 expression that selects at least all of them. */
  match: string;
  /** What it does not decide; absent: it selects exactly them. */
  check?: SQL;
  reads: Set<ReadTable>;
  /** Whether the words narrow every group down; otherwise some group begins with the whole scope. */
  isNarrow: boolean;
}

/** The expression and check of a query. Groups default to the query's own. */
export function matchOf({ scope, operands, groups: own }: ResolvedQuery, groups = own): Match {
  if (groups.length === 0) {
    const check = scope.isExact ? undefined : isInScope(scope, operands);
    return { match: scope.match, check, reads: new Set(check ? ['passes'] : []), isNarrow: false };
  }
  const found = groups.map((group) => ({ group, words: wordsOfGroup(group, scope) }));
  const isScoped = found.every(({ words }) => words.isScoped);
  const common = {
    match: anyOf(found.map(({ words }) => words.match)),
    isNarrow: found.every(({ words }) => words.isNarrow),
  };
  if (found.every(({ words }) => words.isExact)) return { ...common, reads: new Set() };
  // Alone in the query a group has met its words already; beside others each is checked in full.
  const checked = found.map(({ group }) => (found.length === 1 ? group.filter((one) => !isDecided(one)) : group));
  const checks = checkOf(checked);
  const reads = checked.flat().flatMap((one) => one.reads);
  return {
    ...common,
    check: isScoped ? checks : every([checks, isInScope(scope, operands)]),
    reads: new Set(isScoped ? reads : [...reads, 'passes' as const]),
  };
}

/** What all groups have, a phrase, stands in the statement once: D1 takes 100 KB. */
export function checkOf(groups: Selection[][]): SQL {
  const [first = [], ...others] = groups;
  const common = others.length > 0 ? first.filter((one) => others.every((group) => group.includes(one))) : [];
  const rest = groups.map((group) => every(group.filter((one) => !common.includes(one)).map(({ check }) => check)));
  return every([...common.map(({ check }) => check), some(rest)]);
}

function isDecided({ words, opposite }: Selection): boolean {
  return Boolean(words?.isExact || opposite?.words?.isExact);
}

/** The words of a group: those of its conditions, without those that its negations exclude, inside the scope. */
function wordsOfGroup(group: Selection[], scope: Scope): WordSelection & { isNarrow: boolean } {
  const chosen = mergeIntervals(group.flatMap(({ words }) => words ?? []));
  const excluded = group.flatMap(({ opposite }) => (opposite?.words?.isExact ? [opposite.words.match] : []));
  const isScoped = chosen.some((words) => words.isScoped);
  const parts = [...(isScoped ? [] : [scope.match]), ...chosen.map(({ match }) => match)];
  const all = parts.length === 1 ? parts[0]! : `(${parts.join(' AND ')})`;
  return {
    match: excluded.length > 0 ? `(${[all, ...excluded].join(' NOT ')})` : all,
    isExact: group.every(isDecided) && (isScoped || scope.isExact),
    isScoped: isScoped || scope.isExact,
    isNarrow: chosen.length > 0,
  };
}

/** Merges the intervals of each field into one: two half-lines would each be read to their end. */
export function mergeIntervals(list: WordSelection[]): WordSelection[] {
  const others = list.filter(({ interval }) => !interval);
  const byField = Map.groupBy(
    list.flatMap(({ interval }) => interval ?? []),
    ({ of }) => of,
  );
  const intervals = [...byField.values()].map(([first, ...more]) => {
    const common = more.reduce<Interval | undefined>((so, { is }) => so && intersection(so, is), first!.is);
    return common ? first!.select(common) : NOTHING;
  });
  return [...others, ...intervals];
}
