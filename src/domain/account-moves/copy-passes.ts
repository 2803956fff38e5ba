import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Context } from '../context.ts';
import { indexPasses } from '../passes/search-index/index-pass.ts';
import { passes } from '../passes/table.ts';
import {
  inBatch,
  inCopy,
  type Move,
  type Row,
  readStatement,
  requireSame,
  rowsOf,
  takeNewValues,
  toRows,
  writeStatements,
} from './copy-rows.ts';
import { OF_PASSES, PASSES } from './moved-tables.ts';

type Found = Record<string, Row[number]>[];

/**
 * Brings the copies of passes up to date, with their dependent rows and search index entries. Each database assigns its
 * own pass keys, in the same order.
 */
export async function syncPasses(move: Move, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const { accountId, from, to } = move;
  const isTarget = sql`id in (select value from json_each(${JSON.stringify(ids)})) and ${rowsOf(PASSES, accountId)}`;
  const inOrder = readStatement(from, PASSES, sql`${isTarget} order by key`);
  const results = (await inBatch(from, [inOrder, ...queryDependents(from, accountId, ids)])) as Found[];
  const [found, ...dependents] = results;
  const rows = toRows(PASSES, found!);
  const kept = JSON.stringify(rows.map((row) => row[ID]));
  const copied = (await inCopy(move, [
    ...OF_PASSES.map(({ name, pass, by }) =>
      rawStatement(
        to.db,
        sql`delete from ${sql.identifier(name)} where ${sql.raw(pass)} in (select ${sql.raw(by)} from passes where ${isTarget})`,
      ),
    ),
    rawStatement(to.db, sql`delete from pass_terms where rowid in (select key from passes where ${isTarget})`),
    rawStatement(
      to.db,
      sql`delete from ${sql.identifier(PASSES.name)} where ${isTarget} and id not in (select value from json_each(${kept}))`,
    ),
    ...writeStatements(to, PASSES, rows, { onConflict: takeNewValues(PASSES) }),
    ...OF_PASSES.flatMap((table, i) =>
      writeStatements(to, table, dependentRows(table, dependents[i]!), {
        onConflict: table.by === 'id' ? takeNewValues(table) : sql``,
        ...(table.by === 'key' && {
          further: { name: table.pass, value: (of) => sql`(select key from passes where id = ${of})` },
        }),
      }),
    ),
    readStatement(to, PASSES, isTarget),
    ...queryDependents(to, accountId, ids),
  ])) as Found[];
  const [there, ...copiedDependents] = copied.slice(-1 - OF_PASSES.length);
  requireSame(PASSES, rows, toRows(PASSES, there!));
  for (const [i, table] of OF_PASSES.entries()) {
    requireSame(table, dependentRows(table, dependents[i]!), dependentRows(table, copiedDependents[i]!));
  }
  await index(move, isTarget, rows.length);
}

const ID = PASSES.columns.indexOf('id');

/** Builds the statements that read the dependent rows of passes, each row with the identifier of its pass. */
function queryDependents(ctx: Context, accountId: string, ids: string[]) {
  return OF_PASSES.map(({ name, columns, pass, by }) => {
    const values = columns.map((column) => sql.raw(`dependent."${column}" as "${column}"`));
    return rawStatement<Record<string, Row[number]>>(
      ctx.db,
      sql`select ${sql.join([...values, sql.raw('holder.id as holder_id')], sql`, `)} from passes as holder
        cross join ${sql.identifier(name)} as dependent on dependent.${sql.raw(pass)} = holder.${sql.raw(by)}
        where holder.account_id = ${accountId} and holder.id in (select value from json_each(${JSON.stringify(ids)}))`,
    );
  });
}

function dependentRows({ columns }: { columns: string[] }, found: Found): Row[] {
  return found.map((row) => [...columns, 'holder_id'].map((name) => row[name] ?? null));
}

async function index(move: Move, isTarget: SQL, count: number): Promise<void> {
  const { to } = move;
  if (count === 0) return;
  const stored = await to.db.select().from(passes).where(isTarget);
  const states = stored.map((pass) => ({ pass, version: pass.version }));
  await inCopy(move, indexPasses(to, states));
}
