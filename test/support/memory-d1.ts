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

/** What D1's SQLite accepts at most, as `memory-d1.test.ts` finds in workerd. */
export const LIMITS = {
  length: 8_388_642,
  sqlLength: 100_000,
  column: 100,
  exprDepth: 100,
  compoundSelect: 5,
  functionArg: 127,
  likePatternLength: 50,
  variableNumber: 100,
};

/** A test that counts rows fails here, also if it only expects few. */
const NOT_COUNTED = { rows_read: Number.NaN, rows_written: Number.NaN };

/** D1 in the process of the test, with its limits and every migration applied. It doesn't count rows. */
export function memoryD1() {
  const database = new DatabaseSync(':memory:', { limits: LIMITS });
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
        return { results: rows, success: true, meta: { ...NOT_COUNTED, changes } };
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
