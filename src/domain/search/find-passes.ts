import { and, asc, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { firstUuidAt } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { passes } from '../passes/table.ts';
import type { ResolvedQuery } from './check-query.ts';
import type { Plan, Source } from './plan.ts';

/** A part of a query's passes, in the order in which they were stored or its reverse. */
export interface Part {
  order: 'newest' | 'oldest';
  /** Only keys above or below it; absent: from the first one on. */
  behind?: number;
  limit: number;
}

/** One round trip a source; a pass found by words costs its list entry and its row. */
export function findPasses(ctx: AccountContext, plan: Plan, part: Part): Promise<(typeof passes.$inferSelect)[]> {
  return findRows<typeof passes.$inferSelect>(ctx, plan, part, getTableColumns(passes));
}

/** Identifiers of the passes of one part; see `findPasses`. */
export async function findPassIds(ctx: AccountContext, plan: Plan, part: Part): Promise<string[]> {
  const rows = await findRows<{ id: string; key: number }>(ctx, plan, part, { id: passes.id, key: passes.key });
  return rows.map(({ id }) => id);
}

async function findRows<Row extends { key: number }>(
  ctx: AccountContext,
  plan: Plan,
  part: Part,
  columns: Record<keyof Row & string, SQLiteColumn>,
): Promise<Row[]> {
  const found = plan.map(({ query, source }) => {
    const { from, where, key } = candidates(source, part);
    return withOperands(ctx, query)
      .select(columns)
      .from(from)
      .crossJoin(passes)
      .where(and(where, eq(passes.key, key), eq(passes.accountId, ctx.account.id)))
      .orderBy(part.order === 'newest' ? desc(key) : asc(key))
      .limit(part.limit);
  });
  return merged((await Promise.all(found)) as unknown as Row[][], part);
}

function merged<Row extends { key: number }>(found: Row[][], { order, limit }: Part): Row[] {
  const [first = [], ...others] = found;
  if (others.length === 0) return first;
  const sign = order === 'newest' ? -1 : 1;
  return found
    .flat()
    .sort((a, b) => sign * (a.key - b.key))
    .slice(0, limit);
}

function withOperands(ctx: AccountContext, { operands }: ResolvedQuery) {
  return ctx.db.with(ctx.db.$with('operands', { list: sql<string>`list` }).as(operands.rows));
}

/** Where the keys of a part come from, as SQL in front of `passes`. */
function candidates(source: Source, part: Part) {
  if (source.keys) {
    const key = sql`found.value`;
    return { from: sql`json_each(${JSON.stringify(partOf(source.keys, part))}) as found`, where: sql`true`, key };
  }
  const { match, check } = source.match;
  const key = sql`pass_terms.rowid`;
  // D1 binds numbers as floating-point ones, by which the index does not skip.
  const behind = sql`cast(${part.behind} as integer)`;
  const bound = part.order === 'newest' ? sql`${key} < ${behind}` : sql`${key} > ${behind}`;
  return {
    from: sql`pass_terms`,
    where: and(sql`pass_terms match ${match}`, part.behind === undefined ? undefined : bound, check),
    key,
  };
}

function partOf(keys: number[], { order, behind, limit }: Part): number[] {
  if (order === 'oldest') return keys.filter((key) => behind === undefined || key > behind).slice(0, limit);
  return keys.filter((key) => behind === undefined || key < behind).slice(-limit);
}

/**
 * The key behind which a part begins that goes on after the pass `afterId`, which may have been deleted meanwhile: then
 * it is judged by the time in its identifier. One row; 0 when no pass is as old.
 */
export async function keyAfter(ctx: AccountContext, afterId: string, order: Part['order']): Promise<number> {
  const [row] = await rawStatement<{ id: string; key: number }>(
    ctx.db,
    sql`select ${passes.id} as id, ${passes.key} as key from ${passes} where ${passes.id} <= ${afterId} order by ${passes.id} desc limit 1`,
  );
  if (!row) return 0;
  return row.id === afterId || order === 'oldest' ? row.key : row.key + 1;
}

/** The key behind which the passes begin, newest first, that were stored up to `millis` (UTC). */
export function keyUpTo(ctx: AccountContext, millis: number): Promise<number> {
  return keyAfter(ctx, firstUuidAt(millis + 1), 'newest');
}
