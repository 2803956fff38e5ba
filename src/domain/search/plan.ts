import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import type { ResolvedQuery } from './check-query.ts';
import { type Interval, intersection } from './intervals.ts';
import { every, type Operands, some } from './operands.ts';
import { anyOf, isInScope, type Scope } from './scope.ts';
import { NOTHING, type Selection, type WordSelection } from './selection.ts';

/** Source of passes: the word index, or keys that were gathered before, ascending. */
export type Source = { match: Match; keys?: undefined } | { keys: number[] };

/** How to find the passes of a query. No pass is in two of its sources. */
export type Plan = { query: ResolvedQuery; source: Source }[];

/** With fewer passes than this, words are used without trying a column's index. */
const FEW_PASSES = 1_000;
/** Maximum number of keys gathered by a column's index; a column that selects more is checked along the words. */
const GATHERED_KEYS_MAX = 10_000;

/**
 * Plans a query. Words are the default. Columns that change without a new version have their own indexes, which gather
 * keys if every group has such a condition and words select many passes. No round trip without such conditions, else up
 * to three.
 */
export async function planQuery(ctx: AccountContext, query: ResolvedQuery): Promise<Plan> {
  const parts = [query.groups, ...(query.also ?? [])].map((groups) => ({ ...query, groups, also: undefined }));
  const plan = await Promise.all(parts.map(async (part) => ({ query: part, source: await sourceOf(ctx, part) })));
  return plan.filter(({ source }) => source.keys?.length !== 0);
}

async function sourceOf(ctx: AccountContext, query: ResolvedQuery): Promise<Source> {
  const match = matchOf(query);
  const gathered = columnCondition(query);
  if (!gathered || (match.isNarrow && (await selectsFew(ctx, match)))) return { match };
  const { operands } = query;
  const found = await keysOf(ctx, operands, sql`passes where ${gathered} limit ${GATHERED_KEYS_MAX + 1}`);
  if (found.length > GATHERED_KEYS_MAX) return { match };
  const isDecided = query.groups.every((group) => group.length === 1 && group[0]!.column?.isExact);
  const keys = isDecided || found.length === 0 ? found : await checkKeys(ctx, query, found);
  return { keys: keys.sort((a, b) => a - b) };
}

/**
 * Builds the condition that finds by columns what each group selects, and maybe more; undefined if a group has no such
 * condition.
 */
function columnCondition({ scope, operands, groups }: ResolvedQuery): SQL | undefined {
  const inScope = isInScope(scope, operands);
  const found = groups.map((group) => {
    const columns = group.flatMap(({ column }) => column ?? []);
    const holds = columns.map((column) => column.holds);
    return columns.some(({ isExact, isScoped }) => isExact && !isScoped)
      ? every([inScope, ...holds])
      : holds.length > 0
        ? every(holds)
        : undefined;
  });
  const all = found.filter((holds) => holds !== undefined);
  return all.length > 0 && all.length === found.length ? some(all) : undefined;
}

async function selectsFew(ctx: AccountContext, { match }: Match): Promise<boolean> {
  const [row] = await rawStatement<{ passes: number }>(
    ctx.db,
    sql`select count(*) as passes from (select 1 from pass_terms where pass_terms match ${match} limit ${FEW_PASSES})`,
  );
  return row!.passes < FEW_PASSES;
}

async function checkKeys(ctx: AccountContext, { scope, operands, groups }: ResolvedQuery, keys: number[]) {
  const check = every([isInScope(scope, operands), checkOf(groups)]);
  return keysOf(
    ctx,
    operands,
    sql`json_each(${JSON.stringify(keys)}) as found cross join passes on passes.key = found.value where ${check}`,
  );
}

async function keysOf(ctx: AccountContext, operands: Operands, source: SQL): Promise<number[]> {
  const rows = await rawStatement<{ key: number }>(
    ctx.db,
    sql`${operands.common} select passes.key as key from ${source}`,
  );
  return rows.map(({ key }) => key);
}

/** How the word index finds the passes of a query. */
interface Match {
  /** FTS5 expression that selects at least all of them. */
  match: string;
  /** Condition that it doesn't decide; absent: it selects exactly them. */
  check?: SQL;
  /** Whether the words narrow every group; otherwise some group starts with the whole scope. */
  isNarrow: boolean;
}

/** Returns the expression and check of a query. Groups default to the query's own. */
export function matchOf({ scope, operands, groups: own }: ResolvedQuery, groups = own): Match {
  if (groups.length === 0) {
    const check = scope.isExact ? undefined : isInScope(scope, operands);
    return { match: scope.match, check, isNarrow: false };
  }
  const found = groups.map((group) => ({ group, words: wordsOfGroup(group, scope) }));
  const isScoped = found.every(({ words }) => words.isScoped);
  const common = {
    match: anyOf(found.map(({ words }) => words.match)),
    isNarrow: found.every(({ words }) => words.isNarrow),
  };
  if (found.every(({ words }) => words.isExact)) return common;
  // The expression already decided the words of a single group. With several groups, each is checked in full.
  const checked = found.map(({ group }) => (found.length === 1 ? group.filter((one) => !isDecided(one)) : group));
  const checks = checkOf(checked);
  return { ...common, check: isScoped ? checks : every([checks, isInScope(scope, operands)]) };
}

/**
 * Builds the check of groups. A selection that all groups share (a phrase) appears once, because D1 limits a statement
 * to 100 KB.
 */
function checkOf(groups: Selection[][]): SQL {
  const [first = [], ...others] = groups;
  const common = others.length > 0 ? first.filter((one) => others.every((group) => group.includes(one))) : [];
  const rest = groups.map((group) => every(group.filter((one) => !common.includes(one)).map(({ check }) => check)));
  return every([...common.map(({ check }) => check), some(rest)]);
}

function isDecided({ words, opposite }: Selection): boolean {
  return Boolean(words?.isExact || opposite?.words?.isExact);
}

/** Returns the words of a group: those of its conditions, minus those of its negations, in the scope. */
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

/** Merges the intervals of each field into one: two half-open ranges would each be read to their end. */
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
