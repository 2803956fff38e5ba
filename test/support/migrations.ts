import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');

/**
 * A database in memory as the first migration makes it, for rows from before a later one, and what carries that out.
 */
export function openFirstSchema() {
  const database = new DatabaseSync(':memory:');
  const migrate = (name: string) => database.exec(readFileSync(join(MIGRATIONS, `${name}.sql`), 'utf8'));
  migrate('0000_init');
  return { database, migrate };
}

/** Rows of a query, as plain objects. */
export function rowsOf(database: DatabaseSync, query: string): Record<string, unknown>[] {
  return database
    .prepare(query)
    .all()
    .map((row) => ({ ...row }));
}
