import { getTableColumns, getTableName } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';

/**
 * Inserts rows without blobs by one statement. Drizzle builds a statement for each row, which takes longer than the
 * insert.
 */
export async function insertRows<T extends SQLiteTable>(
  d1: D1Database,
  table: T,
  rows: T['$inferInsert'][],
): Promise<void> {
  const given = rows as Record<string, unknown>[];
  const all: [name: string, column: SQLiteColumn][] = Object.entries(getTableColumns(table));
  const columns = all.filter(([name]) => given[0]![name] !== undefined);
  const stored = given.map((row) =>
    columns.map(([name, column]) => (row[name] === null ? null : column.mapToDriverValue(row[name]))),
  );
  const names = columns.map(([, { name }]) => `"${name}"`);
  const values = columns.map((_, i) => `value ->> ${i}`);
  await d1
    .prepare(`insert into ${getTableName(table)} (${names}) select ${values} from json_each(?)`)
    .bind(JSON.stringify(stored))
    .run();
}
