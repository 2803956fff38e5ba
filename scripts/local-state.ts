import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KeySettings, readEncryptionKeys } from '../src/platform/encryption-keys.ts';
import { boundDatabases } from './bound-databases.ts';
import { type Report, SILENT } from './cli/progress.ts';
import { readJson, writePrivate, writePrivateJson } from './files.ts';
import { migrateDatabases, migrationNames } from './local-migrations.ts';
import { Problem, ROOT, type Settings } from './settings.ts';

const ENCRYPTION_KEY_BYTES = 32;
/** The file of a state that says which migrations it has had. */
export const MIGRATED = 'migrations.sha256';

/** The key that encrypts private keys in this state, base64; made once and kept in `STATE_DIR/secrets.json`. */
export function localEncryptionKey(stateDir: string): string {
  const file = join(stateDir, 'secrets.json');
  const known = readJson<{ encryptionKey: string }>(file);
  if (known) return known.encryptionKey;
  const encryptionKey = randomBytes(ENCRYPTION_KEY_BYTES).toString('base64');
  writePrivateJson(file, { encryptionKey });
  return encryptionKey;
}

/**
 * The variables with which a Worker reads and writes this state: its own key, and keys of the environment, so that
 * their rotation can be tried. Throws a `Problem` for keys that the Worker could not read.
 */
export function localEncryptionKeys(stateDir: string, { ENCRYPTION_KEYS }: NodeJS.ProcessEnv): Record<string, string> {
  const variables = {
    ENCRYPTION_KEY: localEncryptionKey(stateDir),
    ...(ENCRYPTION_KEYS ? { ENCRYPTION_KEYS } : {}),
  };
  checkEncryptionKeys(variables);
  return variables;
}

/** Throws a `Problem` for keys that the Worker could not read. */
export function checkEncryptionKeys(variables: KeySettings): void {
  try {
    readEncryptionKeys(variables);
  } catch (error) {
    throw new Problem((error as Error).message);
  }
}

/**
 * The address of the last start, which links name while the service is stopped; what the environment says goes before
 * it.
 */
export function lastBaseUrl({ localDir, baseUrl }: Settings, { PORT, HOST, BASE_URL }: NodeJS.ProcessEnv): string {
  if (PORT || HOST || BASE_URL) return baseUrl;
  return readJson<{ baseUrl: string }>(join(localDir, 'demo.json'))?.baseUrl ?? baseUrl;
}

const stampOf = (stateDir: string) => join(stateDir, MIGRATED);

/** The databases that migrations have to be applied to; wrangler takes seconds to find out that there are none. */
export function missingMigrations(stateDir: string): string[] {
  const stamp = stampOf(stateDir);
  const applied = existsSync(stamp) && existsSync(join(stateDir, 'v3', 'd1')) && readFileSync(stamp, 'utf8');
  return applied === digestOfMigrations() ? [] : boundDatabases().map(({ binding }) => binding);
}

/**
 * Applies migrations to the local databases, one after the other, when the folder or the databases have changed since
 * the last time. Throws a `Problem` that names the migration that failed.
 */
export async function migrate(stateDir: string, report: Report = SILENT): Promise<void> {
  const wanted = digestOfMigrations();
  const missing = missingMigrations(stateDir);
  if (missing.length === 0) return;
  await migrateDatabases(stateDir, missing, (binding) => report.step(`Applying migrations to ${binding}`));
  writePrivate(stampOf(stateDir), wanted);
}

/** Changes with every migration, and with the databases that they are applied to. */
export function digestOfMigrations(): string {
  const texts = migrationNames().map((name) => `${name}\0${readFileSync(join(ROOT, 'migrations', name), 'utf8')}`);
  const bindings = boundDatabases().map(({ binding }) => binding);
  return createHash('sha256')
    .update([...texts, ...bindings].join('\0'))
    .digest('hex');
}
