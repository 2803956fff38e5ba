import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem, ROOT } from './settings.ts';

/*
 * Migrates local databases in one runtime. Wrangler's `d1 migrations apply` starts itself and a runtime per database,
 * which takes most of the time of a first start.
 */

const FOLDER = join(ROOT, 'migrations');
/** Separates a migration's statements, as drizzle-kit and we write them. */
const BREAKPOINT = '--> statement-breakpoint';

interface Migration {
  name: string;
  statements: string[];
}

/** Records applied migrations in wrangler's table, so that either tool can continue the other's work. */
const WORKER = `const NOTES = 'd1_migrations';
export default {
  async fetch(request, env) {
    const { binding, migrations } = await request.json();
    const database = env[binding];
    await database
      .prepare(\`create table if not exists \${NOTES}(
        id integer primary key autoincrement,
        name text unique,
        applied_at timestamp default current_timestamp not null
      )\`)
      .run();
    const { results } = await database.prepare(\`select name from \${NOTES}\`).all();
    const applied = new Set(results.map(({ name }) => name));
    for (const { name, statements } of migrations.filter((migration) => !applied.has(migration.name))) {
      try {
        const note = database.prepare(\`insert into \${NOTES} (name) values (?)\`).bind(name);
        await database.batch([...statements.map((statement) => database.prepare(statement)), note]);
      } catch (error) {
        return new Response(\`\${name}: \${error.message}\`, { status: 500 });
      }
    }
    return new Response();
  },
}`;

/** Returns the names of the migrations, in order. */
export function migrationNames(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

function readMigration(name: string): Migration {
  const statements = readFileSync(join(FOLDER, name), 'utf8').split(BREAKPOINT);
  return { name, statements: statements.filter((statement) => statement.trim() !== '') };
}

/**
 * Applies pending migrations to the databases of a local state, by binding; each migration is atomic. Calls `begins`
 * before each database. Throws a `Problem` that names the failed migration.
 */
export async function migrateDatabases(
  stateDir: string,
  bindings: string[],
  begins: (binding: string) => void,
): Promise<void> {
  // Loaded late because most commands find nothing to migrate, and loading takes longer than they do.
  const { convertV4MiniflareOptions, Miniflare } = await import('miniflare');
  const { unstable_getMiniflareWorkerOptions } = await import('wrangler');
  const { d1Databases } = unstable_getMiniflareWorkerOptions(join(ROOT, 'wrangler.toml')).workerOptions;
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: WORKER,
      d1Databases: d1Databases as Record<string, { id: string }>,
      compatibilityDate: '2026-10-22',
      cf: false,
      telemetry: { enabled: false },
      // Where wrangler keeps a Worker's storage, too.
      resourcePersistencePath: join(stateDir, 'v3'),
    }),
  );
  const migrations = migrationNames().map(readMigration);
  try {
    for (const binding of bindings) {
      begins(binding);
      const body = JSON.stringify({ binding, migrations });
      const reply = await runtime.dispatchFetch('http://d1/', { method: 'POST', body });
      if (reply.ok) continue;
      throw new Problem(`The migrations could not be applied to ${binding}.\n${await reply.text()}`);
    }
  } finally {
    await runtime.dispose();
  }
}
