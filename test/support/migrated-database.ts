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
 * A database as all migrations leave it, as a file: to copy it takes a thousandth of the time of the migrations, which
 * each Worker of a run would need for each of its databases.
 */

const KEPT = join(ROOT, '.wrangler', 'test-states');
const MIGRATIONS = join(ROOT, 'migrations');

/** Where the statements of a migration end, as drizzle-kit writes them and as we do. */
const BREAKPOINT = '--> statement-breakpoint';

/** Runs the statements of one round trip on the database that the path names. */
const MIGRATING_WORKER = `export default {
  async fetch(request, env) {
    const { DB } = env;
    await DB.batch((await request.json()).map((sql) => DB.prepare(sql)));
    return new Response();
  },
}`;

/** Where Miniflare keeps databases of D1 in its folder, and the name by which it tells them from other objects. */
export const OF_D1 = ['d1', 'miniflare-D1DatabaseObject'] as const;

/** The identifier by which the runtime finds the object of a database in such a place. */
export function objectOfDatabase([, objects]: Place, id: string): string {
  const key = createHash('sha256').update(objects).digest();
  const half = (text: string | Buffer) => createHmac('sha256', key).update(text).digest().subarray(0, 16);
  const name = half(id);
  return `${name.toString('hex')}${half(name).toString('hex')}`;
}

/** The file of a database in such a place, by the database's identifier. */
function fileOfDatabase(folder: string, place: Place, id: string): string {
  return join(folder, ...place, `${objectOfDatabase(place, id)}.sqlite`);
}

export type Place = readonly [kind: string, objects: string];

/** Puts a migrated database where a runtime with this folder will look for it. */
export async function placeDatabase(folder: string, place: Place, id: string): Promise<void> {
  const file = fileOfDatabase(folder, place, id);
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(await migratedDatabase(), file);
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
  // What is in the log beside the file gets into the file.
  const database = new DatabaseSync(fileOfDatabase(folder, OF_D1, 'DB'));
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
}
