import { DurableObject } from 'cloudflare:workers';

/*
 * Where the statements of the tests' D1 run: the client of the runtime asks an object that does with them what
 * Miniflare's D1 does, without the Worker in front of it and without a check of each value. That takes a third of the
 * time of a round trip, and round trips are half of what the tests of the Worker take.
 */

/** Binding of the objects, and the one with their identifiers by the names of databases. */
export interface TestDatabases {
  TEST_DATABASES: DurableObjectNamespace<TestDatabase>;
  TEST_DATABASE_IDS: Record<string, string>;
}

interface Statement {
  sql: string;
  params?: (string | number | null | number[])[];
}

const BOOKMARK = 'x-cf-d1-session-commit-token';

/** Bytes travel as arrays of numbers. */
const toSqlite = (value: string | number | null | number[]) =>
  Array.isArray(value) ? new Uint8Array(value).buffer : value;
const fromSqlite = (value: SqlStorageValue) =>
  value instanceof ArrayBuffer ? Array.from(new Uint8Array(value)) : value;

/** One database. */
export class TestDatabase extends DurableObject {
  /** Runs the statements of one round trip, all or none: the body of D1's answer, and the bookmark behind it. */
  async run(body: string): Promise<{ answer: string; bookmark: string }> {
    const asked: Statement | Statement[] = JSON.parse(body);
    const { storage } = this.ctx;
    try {
      const results = storage.transactionSync(() => this.#runAll(Array.isArray(asked) ? asked : [asked]));
      return { answer: JSON.stringify(results), bookmark: await storage.getCurrentBookmark() };
    } catch (error) {
      return { answer: JSON.stringify({ success: false, error: (error as Error).message }), bookmark: '' };
    }
  }

  /** Columns of these tables whose rows have one of the texts, in upper or lower case, by `table.column`. */
  columnsHolding(texts: string[], tables: string[]): string[] {
    const wanted = new RegExp(texts.map((text) => text.replace(/[^\w]/g, '\\$&')).join('|'), 'i');
    const decoder = new TextDecoder();
    const found = new Set<string>();
    for (const table of tables) {
      const cursor = this.ctx.storage.sql.exec(`select * from "${table}"`);
      for (const row of cursor.raw()) {
        for (const [i, value] of row.entries()) {
          const text = value instanceof ArrayBuffer ? decoder.decode(value) : String(value);
          if (wanted.test(text)) found.add(`${table}.${cursor.columnNames[i]}`);
        }
      }
    }
    return [...found];
  }

  #runAll(statements: Statement[]): object[] {
    const { sql } = this.ctx.storage;
    let before = this.#totals();
    return statements.map(({ sql: statement, params = [] }) => {
      const cursor = sql.exec(statement, ...params.map(toSqlite));
      const columns = cursor.columnNames;
      const rows = Array.from(cursor.raw(), (row) => row.map(fromSqlite));
      const after = this.#totals();
      const changes = after.changes - before.changes;
      const meta = {
        ...{ served_by: 'test', served_by_primary: true, total_attempts: 1, duration: 0 },
        ...{ changes, last_row_id: after.lastRow, changed_db: changes > 0, size_after: sql.databaseSize },
        ...{ rows_read: cursor.rowsRead, rows_written: cursor.rowsWritten },
      };
      before = after;
      return { success: true, results: { columns, rows }, meta };
    });
  }

  #totals() {
    const totals = this.ctx.storage.sql.exec('select total_changes() as changes, last_insert_rowid() as lastRow');
    return totals.one() as { changes: number; lastRow: number };
  }
}

/** What a binding of D1 asks its database by. */
interface Fetcher {
  fetch(url: string, init: { body: string }): Promise<Pick<Response, 'text'> & { headers: Pick<Headers, 'get'> }>;
}

/** A binding of D1, as the runtime makes it: sessions take its fetcher, and it has one for what runs in none. */
interface D1Binding {
  fetcher: Fetcher;
  alwaysPrimarySession: { fetcher: Fetcher };
}

/** Makes each D1 binding ask its database in `TEST_DATABASES`. */
export function askTestDatabases(bindings: object): void {
  const env = bindings as TestDatabases & Record<string, D1Binding>;
  for (const [name, id] of Object.entries(env.TEST_DATABASE_IDS)) {
    const binding = env[name]!;
    binding.fetcher = fetcherOf(env.TEST_DATABASES, id);
    binding.alwaysPrimarySession.fetcher = binding.fetcher;
  }
}

const fetcherOf = (databases: DurableObjectNamespace<TestDatabase>, id: string): Fetcher => ({
  async fetch(_url, { body }) {
    // Without a name: Miniflare would add a table to a database that has one.
    const { answer, bookmark } = await databases.get(databases.idFromString(id)).run(body);
    return { headers: { get: (name) => (name === BOOKMARK && bookmark ? bookmark : null) }, text: async () => answer };
  },
});
