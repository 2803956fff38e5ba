import { mkdtempSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import type { BoundStatement } from './d1-over.ts';
import { placeDatabase } from './migrated-database.ts';

/*
 * Databases in workerd, with its SQLite and the limits that D1 has of it, for tests that ask them from Node: objects
 * that do what Miniflare's D1 does with a statement, without the three Workers that stand in front of those.
 */

const NAME = 'databases';
const OBJECTS = ['do', `${NAME}-Database`] as const;

const WORKER = `import { DurableObject } from 'cloudflare:workers';

const shown = (value) => (value instanceof ArrayBuffer ? Array.from(new Uint8Array(value)) : value);

export class Database extends DurableObject {
  #run = ({ sql: statement, params }) => {
    const { sql } = this.ctx.storage;
    const before = sql.exec('select total_changes() as n').one().n;
    const cursor = sql.exec(statement, ...params.map((value) => (typeof value === 'boolean' ? Number(value) : value)));
    const names = cursor.columnNames;
    const results = Array.from(cursor.raw(), (row) => Object.fromEntries(names.map((name, i) => [name, shown(row[i])])));
    const changes = sql.exec('select total_changes() as n').one().n - before;
    const meta = { changes, rows_read: cursor.rowsRead, rows_written: cursor.rowsWritten, size_after: sql.databaseSize };
    return { success: true, results, meta };
  };

  async fetch(request) {
    const statements = await request.json();
    try {
      return Response.json(this.ctx.storage.transactionSync(() => statements.map(this.#run)));
    } catch (error) {
      return new Response('D1_ERROR: ' + error.message, { status: 500 });
    }
  }
}

export default {
  fetch(request, env) {
    const { pathname } = new URL(request.url);
    return env.DATABASES.get(env.DATABASES.idFromName(pathname.slice(1))).fetch(request);
  },
}`;

interface Runtime {
  folder: string;
  origin: Promise<string>;
}

/** The files of a run share their modules (vitest.config.ts), and so this; it ends with their process. */
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

/** Opens a database with every migration applied: what runs the statements of one round trip on it, all or none. */
export async function openMigrated(): Promise<(statements: BoundStatement[]) => Promise<D1Result[]>> {
  runtime ??= startRuntime();
  const name = `database-${opened++}`;
  await placeDatabase(runtime.folder, OBJECTS, name);
  const url = `${await runtime.origin}/${name}`;
  return async (statements) => JSON.parse(await ask(url, JSON.stringify(statements))) as D1Result[];
}

/** `fetch` would take three times as long. */
function ask(url: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // As D1 says it: a connection can close at the moment when it is used again.
    const lose = (cause: unknown) => reject(new Error('D1_ERROR: Network connection lost.', { cause }));
    const sent = request(url, { method: 'POST', headers: { 'Content-Length': Buffer.byteLength(body) } }, (reply) => {
      text(reply).then((said) => (reply.statusCode === 200 ? resolve(said) : reject(new Error(said))), lose);
    });
    sent.on('error', lose);
    sent.end(body);
  });
}
