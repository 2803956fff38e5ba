import { sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { indexPasses } from '../passes/search-index/index-pass.ts';
import { passes } from '../passes/table.ts';
import { inArray } from 'drizzle-orm';
import type { Context } from '../context.ts';
import {
  inBatch,
  type Move,
  type Row,
  requireSame,
  rowsOf,
  readStatement,
  takeNewValues,
  toRows,
  writeStatements,
} from './copy-rows.ts';
import { OF_PASSES, PASSES } from './moved-tables.ts';

type Found = Record<string, Row[number]>[];

/**
 * Makes the copies of passes what they are now, with what hangs on them and their entries in the search index. Each
 * database numbers its passes by itself, in the same order.
 */
export async function syncPasses(move: Move, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const { accountId, from, to } = move;
  const listed = sql`(select value from json_each(${JSON.stringify(ids)}))`;
  const isIt = sql`id in ${listed} and ${rowsOf(PASSES, accountId)} order by key`;
  const results = (await inBatch(from, [readStatement(from, PASSES, isIt), ...hanging(from, ids)])) as Found[];
  const [found, ...hung] = results;
  const rows = toRows(PASSES, found!);
  const copied = (await inBatch(to, [
    ...OF_PASSES.map(({ name, pass, by }) =>
      rawStatement(
        to.db,
        sql`delete from ${sql.identifier(name)} where ${sql.raw(pass)} in (select ${sql.raw(by)} from passes where id in ${listed})`,
      ),
    ),
    // A pass that is gone, or whose identifier of its barcode another one has now.
    rawStatement(
      to.db,
      sql`delete from pass_terms where rowid in (select key from passes where id in ${listed})`,
    ),
    rawStatement(
      to.db,
      sql`delete from passes where id in ${listed} and id not in (select value ->> 0 from json_each(${JSON.stringify(rows.map((row) => [row[ID]]))}))`,
    ),
    ...writeStatements(to, PASSES, rows, { onConflict: takeNewValues(PASSES) }),
    ...OF_PASSES.flatMap((table, i) =>
      writeStatements(to, table, hungRows(table, hung[i]!), {
        onConflict: table.by === 'id' ? takeNewValues(table) : sql``,
        ...(table.by === 'key' && {
          further: { name: table.pass, value: (of) => sql`(select key from passes where id = ${of})` },
        }),
      }),
    ),
    readStatement(to, PASSES, sql`id in ${listed}`),
    ...hanging(to, ids),
  ])) as Found[];
  const [there, ...hungThere] = copied.slice(-1 - OF_PASSES.length);
  requireSame(PASSES, rows, toRows(PASSES, there!));
  for (const [i, table] of OF_PASSES.entries()) {
    requireSame(table, hungRows(table, hung[i]!), hungRows(table, hungThere[i]!));
  }
  await index(to, rows.map((row) => String(row[ID])));
}

const ID = PASSES.columns.indexOf('id');

/** The statements that read what hangs on passes, each row with its pass. */
function hanging(ctx: Context, ids: string[]) {
  return OF_PASSES.map(({ name, columns, pass, by }) => {
    const values = columns.map((column) => sql.raw(`hung."${column}" as "${column}"`));
    return rawStatement<Record<string, Row[number]>>(
      ctx.db,
      sql`select ${sql.join([...values, sql.raw('holder.id as holder_id')], sql`, `)} from passes as holder
        cross join ${sql.identifier(name)} as hung on hung.${sql.raw(pass)} = holder.${sql.raw(by)}
        where holder.id in (select value from json_each(${JSON.stringify(ids)}))`,
    );
  });
}

function hungRows({ columns }: { columns: string[] }, found: Found): Row[] {
  return found.map((row) => [...columns, 'holder_id'].map((name) => row[name] ?? null));
}

async function index(to: Context, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const stored = await to.db
    .select()
    .from(passes)
    .where(inArray(passes.id, sql`(select value from json_each(${JSON.stringify(ids)}))`));
  await inBatch(
    to,
    indexPasses(
      to,
      stored.map((pass) => ({ pass, version: pass.version })),
    ),
  );
}
