import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';

const KEYED = new WeakSet<SQLiteTable>();

/**
 * Notes that the migration of a table says WITHOUT ROWID, which drizzle can't: its rows are stored in the order of the
 * primary key, so that a row is one written row, and not two.
 */
export function withoutRowid<T extends SQLiteTable>(table: T): T {
  KEYED.add(table);
  return table;
}

/** Whether a table is `withoutRowid`. */
export function isWithoutRowid(table: SQLiteTable): boolean {
  return KEYED.has(table);
}

/** SQL that holds for rows of a table which `page` selects by `rowKey`. */
export function isRowOf(table: SQLiteTable, page: SQL): SQL {
  return isWithoutRowid(table) ? sql`(${rowKey(table)}) in ${page}` : sql`rowid in ${page}`;
}

/** SQL for the columns that name a row: SQLite's row number, or the primary key where there is none. */
export function rowKey(table: SQLiteTable): SQL {
  if (!isWithoutRowid(table)) return sql.raw('rowid');
  const [key] = getTableConfig(table).primaryKeys;
  return sql.raw(key!.columns.map(({ name }) => name).join(', '));
}
