import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KeySettings, readEncryptionKeys } from '../src/platform/sealed-text.ts';
import { boundDatabases } from './bound-databases.ts';
import { type Report, SILENT } from './cli/progress.ts';
import { readJson, writePrivate, writePrivateJson } from './files.ts';
import { migrateDatabases, migrationNames } from './local-migrations.ts';
import { Problem, ROOT, type Settings } from './settings.ts';

const ENCRYPTION_KEY_BYTES = 32;
/** The file in a state directory that records its applied migrations. */
const MIGRATED = 'migrations.sha256';

/**
 * Returns the key that encrypts private keys in this state, as base64. Created once and kept in
 * `STATE_DIR/secrets.json`.
 */
export function localEncryptionKey(stateDir: string): string {
  const file = join(stateDir, 'secrets.json');
  const known = readJson<{ encryptionKey: string }>(file);
  if (known) return known.encryptionKey;
  const encryptionKey = randomBytes(ENCRYPTION_KEY_BYTES).toString('base64');
  writePrivateJson(file, { encryptionKey });
  return encryptionKey;
}

/**
 * Returns the variables a Worker needs to read and write this state: its own key, and keys from the environment, for
 * trying out rotation. Throws a `Problem` if the Worker couldn't use the keys.
 */
export function localEncryptionKeys(stateDir: string, { ENCRYPTION_KEYS }: NodeJS.ProcessEnv): Record<string, string> {
  const variables = {
    ENCRYPTION_KEY: localEncryptionKey(stateDir),
    ...(ENCRYPTION_KEYS ? { ENCRYPTION_KEYS } : {}),
  };
  checkEncryptionKeys(variables);
  return variables;
}

/** Throws a `Problem` if the Worker couldn't use the keys. */
export function checkEncryptionKeys(variables: KeySettings): void {
  try {
    readEncryptionKeys(variables);
  } catch (error) {
    throw new Problem((error as Error).message);
  }
}

/**
 * Returns the base URL for links: from the environment, otherwise from the last start, even if the service is stopped.
 */
export function lastBaseUrl({ localDir, baseUrl }: Settings, { PORT, HOST, BASE_URL }: NodeJS.ProcessEnv): string {
  if (PORT || HOST || BASE_URL) return baseUrl;
  return readJson<{ baseUrl: string }>(join(localDir, 'demo.json'))?.baseUrl ?? baseUrl;
}

/** Whether the state directory has databases. */
export const hasDatabases = (stateDir: string) => existsSync(join(stateDir, 'v3', 'd1'));

const stampOf = (stateDir: string) => join(stateDir, MIGRATED);

/** Returns the databases that have all migrations; undefined if some may lack one. */
function migratedDatabases(stateDir: string): string[] | undefined {
  const stamp = stampOf(stateDir);
  if (!existsSync(stamp) || !hasDatabases(stateDir)) return undefined;
  const [digest, ...bindings] = readFileSync(stamp, 'utf8').split('\n');
  return digest === digestOfMigrations() ? bindings : undefined;
}

/** Records that these databases have all migrations. */
export function recordMigrated(stateDir: string, bindings: string[]): void {
  writePrivate(stampOf(stateDir), [digestOfMigrations(), ...bindings].join('\n'));
}

/** Returns the databases in `wrangler.toml`. */
export function localDatabases(stateDir: string): string[] {
  return migratedDatabases(stateDir) ?? boundDatabases().map(({ binding }) => binding);
}

/** Returns the databases to migrate. */
export function missingMigrations(stateDir: string): string[] {
  return migratedDatabases(stateDir) ? [] : localDatabases(stateDir);
}

/**
 * Migrates the local databases one by one, if the folder or the databases have changed since the last time. Throws a
 * `Problem` that names the failed migration.
 */
export async function migrate(stateDir: string, report: Report = SILENT): Promise<void> {
  const missing = missingMigrations(stateDir);
  if (missing.length === 0) return;
  await migrateDatabases(stateDir, missing, (binding) => report.step(`Applying migrations to ${binding}`));
  recordMigrated(stateDir, missing);
}

/** Changes with every migration and with `wrangler.toml`, which lists the databases. */
function digestOfMigrations(): string {
  const files = ['wrangler.toml', ...migrationNames().map((name) => join('migrations', name))];
  const texts = files.map((file) => `${file}\0${readFileSync(join(ROOT, file), 'utf8')}`);
  return createHash('sha256').update(texts.join('\0')).digest('hex');
}
