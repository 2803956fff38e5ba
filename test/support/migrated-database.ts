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
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { ROOT } from '../../scripts/settings.ts';

/*
 * A database file with all migrations applied: copying takes a thousandth of the migrations' time, which each Worker of
 * a run would need for each of its databases.
 */

const KEPT = join(ROOT, '.wrangler', 'test-states');
const MIGRATIONS = join(ROOT, 'migrations');

/** Separates a migration's statements, as drizzle-kit and we write them. */
const BREAKPOINT = '--> statement-breakpoint';

/** Runs the statements of one round trip on the database in the path. */
const MIGRATING_WORKER = `export default {
  async fetch(request, env) {
    const { DB } = env;
    await DB.batch((await request.json()).map((sql) => DB.prepare(sql)));
    return new Response();
  },
}`;

/** Miniflare's folder for D1 databases, and its name for their objects. */
export const OF_D1 = ['d1', 'miniflare-D1DatabaseObject'] as const;

/** Returns the identifier by which the runtime finds a database's object in such a place. */
export function objectOfDatabase([, objects]: Place, id: string): string {
  const key = createHash('sha256').update(objects).digest();
  const half = (text: string | Buffer) => createHmac('sha256', key).update(text).digest().subarray(0, 16);
  const name = half(id);
  return `${name.toString('hex')}${half(name).toString('hex')}`;
}

/** Returns the file of a database in such a place. */
function fileOfDatabase(folder: string, place: Place, id: string): string {
  return join(folder, ...place, `${objectOfDatabase(place, id)}.sqlite`);
}

export type Place = readonly [kind: string, objects: string];

/** Copies a migrated database to where a runtime with this folder expects it. */
export async function placeDatabase(folder: string, place: Place, id: string): Promise<void> {
  const file = fileOfDatabase(folder, place, id);
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(await migratedDatabase(), file);
}

/** Returns the file of a migrated database, cached until a migration or the runtime changes. */
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
    // Another run may have been faster; its file has the same content.
    renameSync(fileOfDatabase(made, OF_D1, 'DB'), kept);
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
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: MIGRATING_WORKER,
      d1Databases: ['DB'],
      compatibilityDate: '2026-10-22',
      cf: false,
      resourcePersistencePath: folder,
    }),
  );
  const statements = migrations.flatMap((text) => text.split(BREAKPOINT)).filter((sql) => sql.trim() !== '');
  const reply = await runtime.dispatchFetch('http://d1/', { method: 'POST', body: JSON.stringify(statements) });
  if (!reply.ok) throw new Error(await reply.text());
  await runtime.dispose();
  // Moves the content of the log file into the database file.
  const database = new DatabaseSync(fileOfDatabase(folder, OF_D1, 'DB'));
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
}
