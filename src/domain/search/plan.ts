import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import type { ResolvedQuery } from './check-query.ts';
import { checkOf, type Match, matchOf } from './match.ts';
import { every, type Operands, some } from './operands.ts';
import { isInScope } from './scope.ts';

/** The index of words, as it goes, or keys that were gathered before, in rising order. */
export type Source = { match: Match; keys?: undefined } | { keys: number[] };

/** How to find the passes of a query: in its sources together, of which no two have the same pass. */
export type Plan = { query: ResolvedQuery; source: Source }[];

/** Passes up to which words are followed without asking whether a column selects fewer. */
const FEW_PASSES = 1_000;
/** Keys gathered by a column's index at most; a column that selects more is checked along the words. */
const GATHERED_KEYS_MAX = 10_000;

/**
 * Decides how to find the passes of a query. The index of words intersects and joins its own lists. Columns that change
 * without a new version have their own indexes; they gather keys when every group has such a condition and words select
 * many passes. No round trip without such conditions, else up to three.
 */
export async function planQuery(ctx: AccountContext, query: ResolvedQuery): Promise<Plan> {
  const parts = [query.groups, ...(query.also ?? [])].map((groups) => ({ ...query, groups, also: undefined }));
  const plan = await Promise.all(parts.map(async (part) => ({ query: part, source: await sourceOf(ctx, part) })));
  return plan.filter(({ source }) => source.keys?.length !== 0);
}

async function sourceOf(ctx: AccountContext, query: ResolvedQuery): Promise<Source> {
  const match = matchOf(query);
  const gathered = gatheredBy(query);
  if (!gathered || (match.isNarrow && (await selectsFew(ctx, match)))) return { match };
  const { operands } = query;
  const found = await keysOf(ctx, operands, sql`passes where ${gathered} limit ${GATHERED_KEYS_MAX + 1}`);
  if (found.length > GATHERED_KEYS_MAX) return { match };
  const isDecided = query.groups.every((group) => group.length === 1 && group[0]!.column?.isExact);
  const keys = isDecided || found.length === 0 ? found : await checkedKeys(ctx, query, found);
  return { keys: keys.sort((a, b) => a - b) };
}

/** SQL that finds by columns what each group selects, and maybe more; undefined when a group has no such condition. */
function gatheredBy({ scope, operands, groups }: ResolvedQuery): SQL | undefined {
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

async function checkedKeys(ctx: AccountContext, { scope, operands, groups }: ResolvedQuery, keys: number[]) {
  const check = every([isInScope(scope, operands), checkOf(groups)]);
  const documents = groups.flat().some(({ reads }) => reads.includes('pass_documents'))
    ? sql`cross join pass_documents on pass_documents.key = passes.key`
    : sql``;
  return keysOf(
    ctx,
    operands,
    sql`json_each(${JSON.stringify(keys)}) as found cross join passes on passes.key = found.value ${documents} where ${check}`,
  );
}

async function keysOf(ctx: AccountContext, operands: Operands, source: SQL): Promise<number[]> {
  const rows = await rawStatement<{ key: number }>(
    ctx.db,
    sql`${operands.common} select passes.key as key from ${source}`,
  );
  return rows.map(({ key }) => key);
}
