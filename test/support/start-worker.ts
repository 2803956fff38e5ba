import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Miniflare } from 'miniflare';
import { createDevelopmentAuthority, type DevelopmentAuthority } from '../../scripts/development-ca.ts';
import { wranglerEnvironment } from '../../scripts/run-wrangler.ts';
import { D1_FAULTS } from './d1-faults.ts';
import { FURTHER_DATABASES } from './database-of.ts';
import { freePort } from './free-port.ts';
import { LogBook } from './log-book.ts';
import type { OutsideWorld } from './outside-world.ts';
import { newRsaKeys } from './rsa-keys.ts';
import { BINDINGS, HOLDS, placeDatabases, startRuntime, WORKER } from './test-runtime.ts';

/** This run's Worker, from the point of view of the process that started it. */
export interface RunningWorker {
  runtime: Miniflare;
  logs: LogBook;
  origin: string;
  adminToken: string;
  /** Where `bindings-client.ts` reaches the Worker's bindings, for checks that the interface doesn't allow. */
  bindingsOrigin: string;
  /** Where it accepts the types of jobs to pause. */
  holdsOrigin: string;
  /** Verifies this run's signatures. */
  trust: Trust;
  /** Stops it, and deletes its stored data. */
  close(): Promise<void>;
}

/** PEM texts for verifying the Worker's signatures. */
export interface Trust {
  /** Root certificate of the pass type certificate. */
  rootPem: string;
  /** The pass type certificate. */
  certificatePem: string;
  /** Public key of the Google issuer's service account. */
  googlePublicKeyPem: string;
}

export const PASS_TYPE_ID = 'pass.com.example.test';
export const TEAM_ID = 'TESTTEAM01';
export const GOOGLE_ISSUER_ID = '3388000000000000001';

/**
 * Starts the bundled Worker in workerd on a free port with migrated databases. Then acts like a new operator: opens the
 * databases, and installs the development certificate and issuer. `bundle` is the folder of `bundleWorkers`.
 */
export async function startWorker(bundle: string, outside: OutsideWorld): Promise<RunningWorker> {
  Object.assign(process.env, wranglerEnvironment());
  const [newKey, oldKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  // Uses named keys; the Workers in their own runtimes have one without a name.
  const secrets = { ENCRYPTION_KEYS: `2:${newKey},1:${oldKey}`, ADMIN_TOKEN: randomBytes(32).toString('hex') };
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const logs = new LogBook();
  const stateDir = mkdtempSync(join(tmpdir(), 'test-worker-'));
  await placeDatabases(stateDir, bundle);
  const faults: Record<string, string> = process.env[D1_FAULTS] ? { [D1_FAULTS]: process.env[D1_FAULTS] } : {};
  const variables = { BASE_URL: origin, LIMITS_BY_ADDRESS: 'off', ...secrets, ...faults };
  const runtime = await startRuntime({
    ...{ bundle, port, isDirect: true, stateDir, variables },
    onLine: (line) => logs.add(line),
    outside: (request) => outside.answer(request),
  });
  try {
    const trust = await installSigners(origin, secrets.ADMIN_TOKEN);
    const bindingsOrigin = (await runtime.unsafeGetDirectURL(BINDINGS)).origin;
    const holdsOrigin = (await runtime.unsafeGetDirectURL(WORKER, HOLDS)).origin;
    const close = async () => {
      await runtime.dispose();
      rmSync(stateDir, { recursive: true });
    };
    return { runtime, logs, origin, adminToken: secrets.ADMIN_TOKEN, bindingsOrigin, holdsOrigin, trust, close };
  } catch (error) {
    for (const line of logs.all({ level: 'error' })) console.error(line);
    await runtime.dispose();
    throw error;
  }
}

async function installSigners(origin: string, adminToken: string): Promise<Trust> {
  const command = async (command: string, options: object) => {
    const response = await fetch(`${origin}/admin/commands`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ command, options }),
    });
    if (!response.ok) throw new Error(`${command}: ${response.status} ${await response.text()}`);
  };
  for (const name of FURTHER_DATABASES) {
    await command('database open', { name });
    // Accounts are in the database of their test file (`homeOf`), others in the first one.
    await command('database close', { name });
  }
  const { rootPem, ...files }: DevelopmentAuthority = await createDevelopmentAuthority({
    passTypeId: PASS_TYPE_ID,
    teamId: TEAM_ID,
    organizationName: 'Example Organization',
  });
  await command('certificate import', { ...files, development: true });
  const google = await newRsaKeys();
  await command('google-issuer import', {
    issuerId: GOOGLE_ISSUER_ID,
    clientEmail: 'wallet@example-project.iam.gserviceaccount.com',
    privateKeyPem: google.privateKey,
    development: true,
  });
  return { rootPem, certificatePem: files.certificatePem, googlePublicKeyPem: google.publicKey };
}
