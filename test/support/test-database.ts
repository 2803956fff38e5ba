import { DurableObject } from 'cloudflare:workers';

/*
 * Runs the statements of the tests' D1: the runtime's client calls an object that acts like Miniflare's D1, without the
 * Worker in front of it and the check of each value. That takes a third of a round trip's time, and round trips are
 * half the time of the Worker tests.
 */

/** Bindings of the objects, and of their identifiers by database name. */
export interface TestDatabases {
  TEST_DATABASES: DurableObjectNamespace<TestDatabase>;
  TEST_DATABASE_IDS: Record<string, string>;
}

interface Statement {
  sql: string;
  params?: (string | number | null | number[])[];
}

const BOOKMARK = 'x-cf-d1-session-commit-token';

/** Columns in one text; D1 allows 32 arguments of a function. */
const ARGUMENTS_MAX = 30;

/** Bytes are transferred as arrays of numbers. */
const toSqlite = (value: string | number | null | number[]) =>
  Array.isArray(value) ? new Uint8Array(value).buffer : value;
const fromSqlite = (value: SqlStorageValue) =>
  value instanceof ArrayBuffer ? Array.from(new Uint8Array(value)) : value;

/** One database. */
export class TestDatabase extends DurableObject {
  /** Runs the statements of one round trip atomically. Returns the body of D1's answer, and the bookmark after it. */
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

  /** Returns the columns of these tables that contain one of the texts in either case, as `table.column`. */
  columnsHolding(texts: string[], tables: string[]): string[] {
    const wanted = new RegExp(texts.map((text) => text.replace(/[^\w]/g, '\\$&')).join('|'), 'i');
    const decoder = new TextDecoder();
    const found = new Set<string>();
    const { sql } = this.ctx.storage;
    for (const table of tables) {
      let isFound = false;
      // Reads to the end, because a cursor locks its table until then.
      for (const row of this.#textsOf(table)) isFound ||= row.some((text) => wanted.test(String(text)));
      if (!isFound) continue;
      const cursor = sql.exec(`select * from "${table}"`);
      for (const row of cursor.raw()) {
        for (const [i, value] of row.entries()) {
          const text = value instanceof ArrayBuffer ? decoder.decode(value) : String(value);
          if (wanted.test(text)) found.add(`${table}.${cursor.columnNames[i]}`);
        }
      }
    }
    return [...found];
  }

  /** Returns a table's rows, each as a few texts that contain its values. The runtime takes most time per value. */
  #textsOf(table: string) {
    const { sql } = this.ctx.storage;
    const columns = sql
      .exec('select name from pragma_table_info(?)', table)
      .toArray()
      .map(({ name }) => `"${name}"`);
    const groups = Array.from({ length: Math.ceil(columns.length / ARGUMENTS_MAX) }, (_, i) =>
      columns.slice(i * ARGUMENTS_MAX, (i + 1) * ARGUMENTS_MAX),
    );
    const texts = groups.map((names) => `concat_ws(char(31), ${names.join(', ')})`);
    return sql.exec(`select ${texts.join(', ')} from "${table}"`).raw();
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

/** The interface through which a D1 binding calls its database. */
interface Fetcher {
  fetch(url: string, init: { body: string }): Promise<Pick<Response, 'text'> & { headers: Pick<Headers, 'get'> }>;
}

/** A D1 binding as the runtime creates it: sessions use its fetcher, and it has another for calls outside sessions. */
interface D1Binding {
  fetcher: Fetcher;
  alwaysPrimarySession: { fetcher: Fetcher };
}

/** Makes each D1 binding use its database in `TEST_DATABASES`. */
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
    // Without a name, because Miniflare would add a table to a named database.
    const { answer, bookmark } = await databases.get(databases.idFromString(id)).run(body);
    return { headers: { get: (name) => (name === BOOKMARK && bookmark ? bookmark : null) }, text: async () => answer };
  },
});
