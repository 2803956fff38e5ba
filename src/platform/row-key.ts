import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';

const KEYED = new WeakSet<SQLiteTable>();

/**
 * Marks a table whose migration uses WITHOUT ROWID, which drizzle can't express. Its rows are stored in primary-key
 * order, so that inserting a row counts as one written row instead of two.
 */
export function withoutRowid<T extends SQLiteTable>(table: T): T {
  KEYED.add(table);
  return table;
}

/** Returns whether a table is `withoutRowid`. */
export function isWithoutRowid(table: SQLiteTable): boolean {
  return KEYED.has(table);
}

/** Returns SQL that matches the table's rows that `page` selects by `rowKey`. */
export function isRowOf(table: SQLiteTable, page: SQL): SQL {
  return isWithoutRowid(table) ? sql`(${rowKey(table)}) in ${page}` : sql`rowid in ${page}`;
}

/** Returns SQL for the columns that identify a row: the rowid, or the primary key if there is none. */
export function rowKey(table: SQLiteTable): SQL {
  if (!isWithoutRowid(table)) return sql.raw('rowid');
  const [key] = getTableConfig(table).primaryKeys;
  return sql.raw(key!.columns.map(({ name }) => name).join(', '));
}
