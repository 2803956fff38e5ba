import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { prepareDirectory, readJson, writePrivateJson } from '../files.ts';
import type { CloudflareApi } from './cloudflare-api.ts';

/** Secrets that a deployment cannot do without, and how a new value is made. */
const MADE: Record<string, () => string> = {
  ENCRYPTION_KEYS: () => `1:${randomBytes(32).toString('base64')}`,
  SETUP_TOKEN: () => randomBytes(24).toString('base64url'),
};

/** A secret that stands in for another one. */
const IN_PLACE_OF: Record<string, string> = { ENCRYPTION_KEYS: 'ENCRYPTION_KEY' };

/** Names of the secrets that a Worker has; none before its first deployment. */
export async function listSecrets(api: CloudflareApi, worker: string): Promise<Set<string>> {
  const found = await api.find<{ name: string }[]>(`/workers/scripts/${worker}/secrets`);
  return new Set((found ?? []).map(({ name }) => name));
}

/** Names of those that are missing. */
export function missingSecrets(known: ReadonlySet<string>): string[] {
  return Object.keys(MADE).filter((name) => !known.has(name) && !known.has(IN_PLACE_OF[name] ?? name));
}

/** New secrets that are on their way to a Worker, in a file that only its owner can read. */
export interface NewSecrets {
  file: string;
  values: Record<string, string>;
}

/**
 * Makes the missing secrets and keeps them in a file before anything else happens: nobody can read a secret of a Worker
 * back. A run that ended early has left its values there, which are used again. Undefined: none is missing.
 */
export function makeSecrets(folder: string, worker: string, missing: string[]): NewSecrets | undefined {
  if (missing.length === 0) return undefined;
  const file = fileOf(folder, worker);
  prepareDirectory(folder);
  const before = readJson<Record<string, string>>(file) ?? {};
  const values = Object.fromEntries(missing.map((name) => [name, before[name] ?? MADE[name]!()]));
  writePrivateJson(file, { ...before, ...values });
  return { file, values };
}

/**
 * What lies in that file until its reader deletes it: a run that ended behind the deployment has told nobody of it.
 */
export function keptSecrets(folder: string, worker: string): NewSecrets | undefined {
  const file = fileOf(folder, worker);
  const values = readJson<Record<string, string>>(file);
  return values && { file, values };
}

const fileOf = (folder: string, worker: string) => join(folder, `${worker}.secrets.json`);
