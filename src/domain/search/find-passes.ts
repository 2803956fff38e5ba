import { and, asc, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { allOf, type BatchPart, bothOf, readPart, rowsOf } from '../../platform/batch-part.ts';
import type { Db } from '../../platform/db.ts';
import { firstUuidAt } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext, Owner } from '../context.ts';
import { passes } from '../passes/table.ts';
import type { ResolvedQuery } from './check-query.ts';
import { countBeside } from './count-passes.ts';
import type { Plan, Source } from './plan.ts';
import type { Query } from './query.ts';
import { scopeMatch } from './scope.ts';

/** A part of a query's passes, in storage order or in reverse. */
export interface Part {
  order: 'newest' | 'oldest';
  /** Only keys beyond this one, in the part's order; absent: from the start. */
  afterKey?: number;
  limit: number;
}

/** A pass row, with the key that orders passes by storage. */
export type StoredPass = typeof passes.$inferSelect;

/** Returns one part of a query's passes, in its order. Reads all sources of the plan in one round trip. */
export async function findPasses(ctx: AccountContext, plan: Plan, part: Part): Promise<StoredPass[]> {
  return findRows<StoredPass>(ctx, plan, part, STORED);
}

/** Returns the identifiers of the passes of one part; see `findPasses`. */
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
  const queries = plan.map((one) => rowsOf(partQuery(ctx, one, part, columns)));
  return mergeRows((await readPart(ctx.db, allOf<unknown>(queries))) as Row[][], part);
}

/** One part and the number of all passes of the query; undefined if it needs a separate count. */
export interface CountedPart {
  passes: StoredPass[];
  total?: number;
}

/** Builds the queries of the first part of a query's passes and of their number; see `countBeside`. */
export function countedPart(ctx: AccountContext, plan: Plan, part: Part): BatchPart<CountedPart> {
  const { queries, read } = allOf(plan.map((one) => countedSource(ctx, one, part)));
  return {
    queries,
    read(results) {
      const found = read(results);
      const totals = found.map(({ total }) => total);
      const isKnown = totals.every((total) => total !== undefined);
      return {
        passes: mergeRows(
          found.map(({ passes: rows }) => rows),
          part,
        ),
        total: isKnown ? totals.reduce((sum, total) => sum + total, 0) : undefined,
      };
    },
  };
}

/**
 * Builds the query for the newest passes of the templates that a query names, without reading these templates first.
 * Finds none if there are more templates than a match can name.
 */
export function firstPassesPart(owner: Owner, names: Query, limit: number): BatchPart<StoredPass[]> {
  const key = sql`pass_terms.rowid`;
  const query = owner.db
    .select(STORED)
    .from(sql`pass_terms`)
    .crossJoin(passes)
    .where(
      and(
        sql`pass_terms match ${scopeMatch(owner, names)}`,
        eq(passes.key, key),
        eq(passes.accountId, owner.account.id),
      ),
    )
    .orderBy(desc(key))
    .limit(limit);
  return rowsOf<StoredPass[]>(query);
}

function countedSource(ctx: AccountContext, one: Plan[number], part: Part): BatchPart<CountedPart> {
  const { queries, read } = bothOf(
    rowsOf<unknown>(partQuery(ctx, one, part, STORED)),
    countBeside(ctx, one, part.limit),
  );
  return {
    queries,
    read(results) {
      const [rows, counted] = read(results);
      const found = rows as StoredPass[];
      return { passes: found, total: found.length < part.limit ? found.length : counted };
    },
  };
}

const STORED = getTableColumns(passes);

function partQuery(
  ctx: AccountContext,
  { query, source }: Plan[number],
  part: Part,
  columns: Record<string, SQLiteColumn>,
) {
  const { from, where, key } = candidates(source, part);
  return withOperands(ctx, query)
    .select(columns)
    .from(from)
    .crossJoin(passes)
    .where(and(where, eq(passes.key, key), eq(passes.accountId, ctx.account.id)))
    .orderBy(part.order === 'newest' ? desc(key) : asc(key))
    .limit(part.limit);
}

function mergeRows<Row extends { key: number }>(found: Row[][], { order, limit }: Part): Row[] {
  const sign = order === 'newest' ? -1 : 1;
  return found
    .flat()
    .sort((a, b) => sign * (a.key - b.key))
    .slice(0, limit);
}

function withOperands(ctx: AccountContext, { operands }: ResolvedQuery) {
  return ctx.db.with(ctx.db.$with('operands', { list: sql<string>`list` }).as(operands.rows));
}

/** Returns the source of a part's keys, as SQL joined with `passes`. */
function candidates(source: Source, part: Part) {
  if (source.keys) {
    const key = sql`found.value`;
    return { from: sql`json_each(${JSON.stringify(partOf(source.keys, part))}) as found`, where: sql`true`, key };
  }
  const { match, check } = source.match;
  const key = sql`pass_terms.rowid`;
  // D1 binds numbers as floats, with which the index can't seek.
  const behind = sql`cast(${part.afterKey} as integer)`;
  const bound = part.order === 'newest' ? sql`${key} < ${behind}` : sql`${key} > ${behind}`;
  return {
    from: sql`pass_terms`,
    where: and(sql`pass_terms match ${match}`, part.afterKey === undefined ? undefined : bound, check),
    key,
  };
}

function partOf(keys: number[], { order, afterKey, limit }: Part): number[] {
  if (order === 'oldest') return keys.filter((key) => afterKey === undefined || key > afterKey).slice(0, limit);
  return keys.filter((key) => afterKey === undefined || key < afterKey).slice(-limit);
}

/**
 * Builds the query for the key after which a part starts that follows the pass `afterId`. If that pass was deleted, the
 * time in its identifier decides. One row; 0 if no pass is that old.
 */
export function keyAfterPart(db: Db, afterId: string, order: Part['order']): BatchPart<number> {
  const query = rawStatement<{ id: string; key: number }>(
    db,
    sql`select ${passes.id} as id, ${passes.key} as key from ${passes} where ${passes.id} <= ${afterId} order by ${passes.id} desc limit 1`,
  );
  return {
    queries: [query],
    read(results) {
      const [[row]] = results as [{ id: string; key: number }[]];
      if (!row) return 0;
      return row.id === afterId || order === 'oldest' ? row.key : row.key + 1;
    },
  };
}

/** Runs `keyAfterPart`. One round trip. */
export function keyAfter(ctx: AccountContext, afterId: string, order: Part['order']): Promise<number> {
  return readPart(ctx.db, keyAfterPart(ctx.db, afterId, order));
}

/** Returns the key after which, newest first, the passes start that were stored up to `millis` (UTC). */
export function keyUpTo(ctx: AccountContext, millis: number): Promise<number> {
  return keyAfter(ctx, firstUuidAt(millis + 1), 'newest');
}
