import { getTableColumns, type InferInsertModel, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';

/**
 * Returns SQL for the values of a row in the order of the table's columns, encoded as drizzle stores them, for a
 * conditional `insert … select`. `computed` replaces values that only the database knows.
 */
export function rowValues<T extends SQLiteTable>(
  table: T,
  row: InferInsertModel<T>,
  computed: Partial<Record<keyof InferInsertModel<T>, SQL>> = {},
): SQL {
  const columns = Object.entries(getTableColumns(table));
  return sql.join(
    columns.map(([name, column]) => {
      const key = name as keyof InferInsertModel<T>;
      return computed[key] ?? sql.param(row[key] ?? null, column);
    }),
    sql`, `,
  );
}
