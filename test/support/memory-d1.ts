import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { d1Over } from './d1-over.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');

/** A migrated database: a copy takes a fraction of the migrations' time. */
let migrated: Uint8Array | undefined;

function migrate(): Uint8Array {
  const database = new DatabaseSync(':memory:');
  const names = readdirSync(MIGRATIONS).filter((file) => file.endsWith('.sql'));
  for (const name of names.sort()) database.exec(readFileSync(join(MIGRATIONS, name), 'utf8'));
  const bytes = database.serialize();
  database.close();
  return bytes;
}

/** An in-process D1 with every migration applied, for tests with a hundred thousand queries. It doesn't count rows. */
export function memoryD1() {
  const database = new DatabaseSync(':memory:');
  migrated ??= migrate();
  database.deserialize(migrated);
  const prepared = new Map<string, StatementSync>();
  const statementOf = (sql: string) => {
    let statement = prepared.get(sql);
    if (!statement) {
      // SQLite plans with the value of a limit, so it would prepare the statement again for each binding.
      statement = database.prepare(sql.replace(/\blimit \?/gi, 'limit (? + 0)'));
      prepared.set(sql, statement);
    }
    return statement;
  };
  const total = database.prepare('select total_changes() as changes');
  const changesSoFar = () => (total.get() as { changes: number }).changes;
  const d1 = d1Over(async (statements) => {
    database.exec('begin');
    try {
      let before = changesSoFar();
      const results = statements.map(({ sql, params }) => {
        const rows = statementOf(sql).all(...(params as SQLInputValue[]));
        const after = changesSoFar();
        const changes = after - before;
        before = after;
        return { results: rows, success: true, meta: { rows_read: 0, rows_written: 0, changes } };
      });
      database.exec('commit');
      return results as unknown as D1Result[];
    } catch (error) {
      database.exec('rollback');
      throw error;
    }
  });
  return { database, d1 };
}
