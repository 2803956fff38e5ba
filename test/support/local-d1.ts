import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { openSocket } from './asking-socket.ts';
import type { BoundStatement } from './d1-over.ts';
import { placeDatabase } from './migrated-database.ts';

/*
 * Databases in workerd, with its SQLite and D1's limits, for tests in Node: objects that run statements like
 * Miniflare's D1, without the three Workers in front of it.
 */

const NAME = 'databases';
const OBJECTS = ['do', `${NAME}-Database`] as const;

const WORKER = `import { DurableObject } from 'cloudflare:workers';

const shown = (value) => (value instanceof ArrayBuffer ? Array.from(new Uint8Array(value)) : value);

export class Database extends DurableObject {
  #changes = () => this.ctx.storage.sql.exec('select total_changes() as n').one().n;

  #runAll = (statements) => {
    let before = this.#changes();
    return statements.map((statement) => {
      const result = this.#run(statement);
      const after = this.#changes();
      result.meta.changes = after - before;
      before = after;
      return result;
    });
  };

  #run = ({ sql: statement, params }) => {
    const { sql } = this.ctx.storage;
    const cursor = sql.exec(statement, ...params.map((value) => (typeof value === 'boolean' ? Number(value) : value)));
    const names = cursor.columnNames;
    const results = Array.from(cursor.raw(), (row) => Object.fromEntries(names.map((name, i) => [name, shown(row[i])])));
    const meta = { rows_read: cursor.rowsRead, rows_written: cursor.rowsWritten, size_after: sql.databaseSize };
    return { success: true, results, meta };
  };

  #answer = (statements) => {
    try {
      return { results: this.ctx.storage.transactionSync(() => this.#runAll(statements)) };
    } catch (error) {
      return { problem: 'D1_ERROR: ' + error.message };
    }
  };

  // One answer for each message, in their order.
  async fetch() {
    const [theirs, ours] = Object.values(new WebSocketPair());
    ours.accept();
    ours.addEventListener('message', ({ data }) => ours.send(JSON.stringify(this.#answer(JSON.parse(data)))));
    return new Response(null, { status: 101, webSocket: theirs });
  }
}

export default {
  fetch(request, env) {
    const { pathname } = new URL(request.url);
    const stub = env.DATABASES.get(env.DATABASES.idFromName(pathname.slice(1)));
    // Without the extension that packs messages.
    return stub.fetch(request.url, { headers: { Upgrade: 'websocket' } });
  },
}`;

interface MigratedDatabase {
  /** Runs the statements of one round trip atomically. */
  run(statements: BoundStatement[]): Promise<D1Result[]>;
  close(): void;
}

interface Runtime {
  folder: string;
  origin: Promise<string>;
}

/** The files of a run share their modules (vitest.config.ts), and so this runtime; it ends with their process. */
let runtime: Runtime | undefined;
let opened = 0;

function startRuntime(): Runtime {
  const folder = mkdtempSync(join(tmpdir(), 'local-databases-'));
  const worker = {
    name: NAME,
    modules: true,
    script: WORKER,
    durableObjects: { DATABASES: { className: 'Database', useSQLite: true } },
    compatibilityDate: '2026-10-22',
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  };
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      resourcePersistencePath: folder,
      workers: [worker],
    }),
  );
  return { folder, origin: miniflare.unsafeGetDirectURL(NAME).then(({ origin }) => origin) };
}

/** Opens a database with every migration applied. */
export async function openMigrated(): Promise<MigratedDatabase> {
  runtime ??= startRuntime();
  const name = `database-${opened++}`;
  await placeDatabase(runtime.folder, OBJECTS, name);
  const socket = await openSocket(`${await runtime.origin}/${name}`);
  return {
    async run(statements) {
      const answer = JSON.parse(await socket.ask(JSON.stringify(statements)));
      if (answer.problem !== undefined) throw new Error(answer.problem);
      return answer.results;
    },
    close: () => socket.close(),
  };
}
