import { sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Context } from '../context.ts';
import { indexPasses } from '../passes/search-index/index-pass.ts';
import { type Pass, passes } from '../passes/table.ts';
import { type Move, type Row, readStatement, rowsOf, takeNewValues, toRows, writeStatements } from './copy-rows.ts';
import { OF_PASSES, PASSES } from './moved-tables.ts';
import type { Found, Part } from './parts.ts';

/**
 * Returns the passes with these identifiers, with their dependent rows and search index entries. Each database assigns
 * its own pass keys, in the same order.
 */
export function namedPasses(move: Move, ids: string[]): Part {
  const { accountId, to } = move;
  const isTarget = sql`id in (select value from json_each(${JSON.stringify(ids)})) and ${rowsOf(PASSES, accountId)}`;
  return {
    read: (side) => [
      readStatement(move[side], PASSES, sql`${isTarget} order by key`),
      ...queryDependents(move[side], accountId, ids),
    ],
    lists: [
      { name: PASSES.name, toRows: (found) => toRows(PASSES, found) },
      ...OF_PASSES.map((table) => ({ name: table.name, toRows: (found: Found) => dependentRows(table, found) })),
    ],
    write: ([rows, ...dependents]) => {
      const kept = JSON.stringify(rows!.map((row) => row[ID]));
      return [
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
        ...writeStatements(to, PASSES, rows!, { onConflict: takeNewValues(PASSES) }),
        ...OF_PASSES.flatMap((table, i) => writeDependents(to, table, dependents[i]!)),
      ];
    },
    derived: {
      query: to.db.select().from(passes).where(isTarget),
      write: (found) => {
        const states = (found as Pass[]).map((pass) => ({ pass, version: pass.version }));
        return states.length === 0 ? [] : indexPasses(to, states);
      },
    },
  };
}

const ID = PASSES.columns.indexOf('id');

function writeDependents(to: Context, table: (typeof OF_PASSES)[number], rows: Row[]) {
  return writeStatements(to, table, rows, {
    onConflict: table.by === 'id' ? takeNewValues(table) : sql``,
    ...(table.by === 'key' && {
      further: { name: table.pass, value: (of) => sql`(select key from passes where id = ${of})` },
    }),
  });
}

/** Builds the statements that read the dependent rows of passes, each row with the identifier of its pass. */
function queryDependents(ctx: Context, accountId: string, ids: string[]) {
  return OF_PASSES.map(({ name, columns, pass, by }) => {
    const values = columns.map((column) => sql.raw(`dependent."${column}" as "${column}"`));
    return rawStatement<Found[number]>(
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
