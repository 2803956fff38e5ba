import { randomBytes } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { prepareDirectory, readJson, writePrivateJson } from '../files.ts';
import type { CloudflareApi } from './cloudflare-api.ts';

/** Required secrets, with a function that makes a new value. */
const MADE: Record<string, () => string> = {
  ENCRYPTION_KEYS: () => `1:${randomBytes(32).toString('base64')}`,
  SETUP_TOKEN: () => randomBytes(24).toString('base64url'),
};

/** A secret that replaces another one. */
const IN_PLACE_OF: Record<string, string> = { ENCRYPTION_KEYS: 'ENCRYPTION_KEY' };

/** Returns the names of a Worker's secrets; empty before its first deployment. */
export async function listSecrets(api: CloudflareApi, worker: string): Promise<Set<string>> {
  const found = await api.find<{ name: string }[]>(`/workers/scripts/${worker}/secrets`);
  return new Set((found ?? []).map(({ name }) => name));
}

/** Returns the names of missing secrets. */
export function missingSecrets(known: ReadonlySet<string>): string[] {
  return Object.keys(MADE).filter((name) => !known.has(name) && !known.has(IN_PLACE_OF[name] ?? name));
}

/** New secrets for a Worker, in a file that only its owner can read. */
export interface NewSecrets {
  file: string;
  values: Record<string, string>;
}

/** Names the file with the secrets of a Worker: accounts can have Workers with the same name. */
export interface SecretsPlace {
  folder: string;
  worker: string;
  /** Account at Cloudflare. */
  accountId: string;
}

/**
 * Makes the missing secrets and writes them to a file first, because a Worker's secrets can't be read back. Reuses the
 * values of an interrupted run. Returns undefined if none is missing.
 */
export function makeSecrets(place: SecretsPlace, missing: string[]): NewSecrets | undefined {
  if (missing.length === 0) return undefined;
  const file = fileOf(place);
  prepareDirectory(place.folder);
  const before = readJson<Record<string, string>>(file) ?? {};
  const values = Object.fromEntries(missing.map((name) => [name, before[name] ?? MADE[name]!()]));
  writePrivateJson(file, { ...before, ...values });
  return { file, values };
}

/** Returns secrets still in that file: a run that failed after deploying never showed them. */
export function keptSecrets(place: SecretsPlace): NewSecrets | undefined {
  const file = fileOf(place);
  const values = readJson<Record<string, string>>(file);
  return values && { file, values };
}

/**
 * Renames the file of an earlier release, whose name has no account. `configFile` is the configuration that the last
 * deployment wrote. It names the account of the secrets, so call this before it is written again.
 */
export function renameEarlierSecrets({ folder, worker, accountId }: SecretsPlace, configFile: string): void {
  const earlier = join(folder, `${worker}.secrets.json`);
  if (!existsSync(earlier)) return;
  const owner = readJson<{ account_id?: string }>(configFile)?.account_id ?? accountId;
  const file = fileOf({ folder, worker, accountId: owner });
  if (!existsSync(file)) renameSync(earlier, file);
}

const fileOf = ({ folder, worker, accountId }: SecretsPlace) => join(folder, `${worker}.${accountId}.secrets.json`);
