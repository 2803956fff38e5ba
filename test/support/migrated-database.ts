import { createHash, createHmac } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { ROOT } from '../../scripts/settings.ts';
import type { BoundStatement } from './d1-over.ts';

/*
 * A database as all migrations leave it, as a file: to copy it takes a thousandth of the time of the migrations, which
 * each Worker of a run would need for each of its databases.
 */

const KEPT = join(ROOT, '.wrangler', 'test-states');
const MIGRATIONS = join(ROOT, 'migrations');

/** Where the statements of a migration end, as drizzle-kit writes them and as we do. */
const BREAKPOINT = '--> statement-breakpoint';

/** Runs the statements of one round trip on the database that the path names. */
export const D1_WORKER = `export default {
  async fetch(request, env) {
    const database = env[new URL(request.url).pathname.slice(1)];
    const statements = (await request.json()).map(({ sql, params }) => database.prepare(sql).bind(...params));
    try {
      return Response.json(await database.batch(statements));
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
}`;

/** A runtime with that Worker and these databases, which it keeps in a folder. */
export function d1Runtime(databases: string[], folder: string): Miniflare {
  return new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: D1_WORKER,
      d1Databases: databases,
      compatibilityDate: '2026-10-22',
      cf: false,
      resourcePersistencePath: folder,
    }),
  );
}

/** The file of a database that Miniflare keeps in a folder, by the database's identifier. */
export function fileOfDatabase(folder: string, id: string): string {
  const key = createHash('sha256').update('miniflare-D1DatabaseObject').digest();
  const half = (text: string | Buffer) => createHmac('sha256', key).update(text).digest().subarray(0, 16);
  const name = half(id);
  return join(objectsOf(folder), `${name.toString('hex')}${half(name).toString('hex')}.sqlite`);
}

const objectsOf = (folder: string) => join(folder, 'd1', 'miniflare-D1DatabaseObject');

/** Puts a migrated database in the place where a runtime with this folder will look for it. */
export async function placeDatabase(folder: string, id: string): Promise<void> {
  const migrated = await migratedDatabase();
  mkdirSync(objectsOf(folder), { recursive: true });
  copyFileSync(migrated, fileOfDatabase(folder, id));
}

/** The file of a migrated database, kept for further runs until a migration or the runtime changes. */
export async function migratedDatabase(): Promise<string> {
  const migrations = readMigrations();
  const versions = readFileSync(join(ROOT, 'node_modules/miniflare/package.json'));
  const kept = join(
    KEPT,
    `${createHash('sha256').update(migrations.join('\0')).update(versions).digest('hex')}.sqlite`,
  );
  if (existsSync(kept)) return kept;
  mkdirSync(KEPT, { recursive: true });
  const made = mkdtempSync(join(KEPT, 'new-'));
  try {
    await migrate(made, migrations);
    // Another run may have been faster: it has the same in its file.
    renameSync(fileOfDatabase(made, 'DB'), kept);
  } finally {
    rmSync(made, { recursive: true });
  }
  return kept;
}

function readMigrations(): string[] {
  const names = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'));
}

async function migrate(folder: string, migrations: string[]): Promise<void> {
  const runtime = d1Runtime(['DB'], folder);
  const statements = migrations.flatMap((text) => text.split(BREAKPOINT)).filter((sql) => sql.trim() !== '');
  const body = JSON.stringify(statements.map((sql): BoundStatement => ({ sql, params: [] })));
  const reply = await runtime.dispatchFetch('http://d1/DB', { method: 'POST', body });
  if (!reply.ok) throw new Error(await reply.text());
  await runtime.dispose();
  // What is in the log beside the file gets into the file.
  const database = new DatabaseSync(fileOfDatabase(folder, 'DB'));
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
}
