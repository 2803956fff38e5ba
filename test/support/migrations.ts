import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');

/**
 * Returns an in-memory database after the first migration, for rows from before a later one, and a function that runs
 * the later one.
 */
export function openFirstSchema() {
  const database = new DatabaseSync(':memory:');
  const migrate = (name: string) => database.exec(readFileSync(join(MIGRATIONS, `${name}.sql`), 'utf8'));
  migrate('0000_init');
  return { database, migrate };
}

/** Returns a query's rows as plain objects. */
export function rowsOf(database: DatabaseSync, query: string): Record<string, unknown>[] {
  return database
    .prepare(query)
    .all()
    .map((row) => ({ ...row }));
}
