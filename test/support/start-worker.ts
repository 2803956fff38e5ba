import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import {
  createTestHarness,
  experimental_readRawConfig,
  type TestHarness,
  type TestHarnessOptions,
  unstable_readConfig,
} from 'wrangler';
import { createDevelopmentAuthority, type DevelopmentAuthority } from '../../scripts/development-ca.ts';
import { wranglerEnvironment } from '../../scripts/worker-process.ts';
import type { BindingCalls } from './bindings-worker.ts';
import { LogBook } from './log-book.ts';

/** The Worker of this run, as the process that started it sees it. */
export interface RunningWorker {
  harness: TestHarness;
  logs: LogBook;
  origin: string;
  adminToken: string;
  /** Asks the Worker's bindings, for looking behind the interface. */
  ask: Ask;
  /** Who vouches for the signatures of this run. */
  trust: Trust;
}

export type Ask = <Name extends keyof BindingCalls>(
  call: Name,
  input: BindingCalls[Name]['in'],
) => Promise<BindingCalls[Name]['out']>;

/** PEM texts to verify the Worker's signatures with. */
export interface Trust {
  /** Root above the pass type certificate. */
  rootPem: string;
  /** The pass type certificate. */
  certificatePem: string;
  /** Public key of the Google issuer's service account. */
  googlePublicKeyPem: string;
}

const CONFIG = 'wrangler.toml';
/** Name of the Worker that asks the bindings. */
const BINDINGS = 'bindings';
export const PASS_TYPE_ID = 'pass.com.example.test';
export const TEAM_ID = 'TESTTEAM01';
export const GOOGLE_ISSUER_ID = '3388000000000000001';

/**
 * Base URL until the port is known. Without one the Worker takes that of the request, and would look as if it had been
 * told.
 */
const UNKNOWN_BASE_URL = 'http://starting.invalid';
const SETTLE_MS_MAX = 120_000;
const SETTLE_PAUSE_MS = 200;

/**
 * Waits until both Workers run what `update` asks for: each restarts the runtime when its own build is done, also after
 * `update` has returned, and a restart breaks what the runtime is being asked.
 */
async function settle(harness: TestHarness, origin: string): Promise<void> {
  const deadlineAt = Date.now() + SETTLE_MS_MAX;
  const isUp = async () => {
    const [docs, base] = await Promise.all([fetch(`${origin}/docs`), askBy(harness)('baseUrl', {})]);
    return base === origin && (await docs.text()).includes(origin);
  };
  while (!(await isUp().catch(() => false))) {
    if (Date.now() > deadlineAt) throw new Error('the Workers under test do not come up');
    await setTimeout(SETTLE_PAUSE_MS);
  }
}

/**
 * Builds the Worker from `wrangler.toml` and starts it in workerd on a free port, with an empty database, then does
 * what an operator does first: migrate, and install the development certificate and issuer.
 */
export async function startWorker(): Promise<RunningWorker> {
  Object.assign(process.env, wranglerEnvironment());
  const [newKey, oldKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  // Named keys here; the Workers in processes of their own have one without a name.
  const secrets = { ENCRYPTION_KEYS: `2:${newKey},1:${oldKey}`, ADMIN_TOKEN: randomBytes(32).toString('hex') };
  const options = (baseUrl: string): TestHarnessOptions => ({
    workers: [
      recordedWorker({ BASE_URL: baseUrl, LIMITS_BY_ADDRESS: 'off', ...secrets }),
      bindingsWorker(baseUrl, secrets),
    ],
  });

  const harness = createTestHarness(options(UNKNOWN_BASE_URL));
  const logs = new LogBook(harness);
  try {
    const { origin } = (await harness.listen()).url;
    // The port is known only now, and links that background jobs write start with BASE_URL.
    await harness.update(options(origin));
    await settle(harness, origin);
    await harness.getWorker().applyD1Migrations('DB');
    const trust = await installSigners(origin, secrets.ADMIN_TOKEN);
    return { harness, logs, origin, adminToken: secrets.ADMIN_TOKEN, ask: askBy(harness), trust };
  } catch (error) {
    for (const line of logs.all({ level: 'error' })) console.error(line);
    logs.close();
    await harness.close();
    throw error;
  }
}

/** The Worker of `wrangler.toml`, whose statements are recorded. */
function recordedWorker(variables: Record<string, string>): TestHarnessOptions['workers'][number] {
  const { rawConfig } = experimental_readRawConfig({ config: CONFIG });
  const vars = { ...rawConfig.vars, ...variables };
  return { config: { ...rawConfig, main: 'test/support/recorded-worker.ts', vars } };
}

/**
 * A Worker that has the bindings of the one under test, under the same names, and one for the queue that only the
 * platform fills.
 */
function bindingsWorker(baseUrl: string, secrets: { ENCRYPTION_KEYS: string }): TestHarnessOptions['workers'][number] {
  const { compatibility_date, d1_databases, r2_buckets, queues } = unstable_readConfig({ config: CONFIG });
  const consumers: { dead_letter_queue?: string }[] = queues.consumers ?? [];
  const queue = consumers.find(({ dead_letter_queue }) => dead_letter_queue !== undefined)?.dead_letter_queue;
  const producers = [...(queues.producers ?? []), { binding: 'DEAD_LETTERS', queue: queue! }];
  const bindings = { vars: { BASE_URL: baseUrl }, d1_databases, r2_buckets, queues: { producers } };
  const config = { name: BINDINGS, main: 'test/support/bindings-worker.ts', compatibility_date, ...bindings };
  return { config, secrets: { ENCRYPTION_KEYS: secrets.ENCRYPTION_KEYS } };
}

function askBy(harness: TestHarness): Ask {
  const worker = harness.getWorker(BINDINGS);
  return async (call, input) => {
    const reply = await worker.fetch(`/${call}`, { method: 'POST', body: JSON.stringify(input) });
    if (!reply.ok) throw new Error(await reply.text());
    return (await reply.json()) as BindingCalls[typeof call]['out'];
  };
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
  const { rootPem, ...files }: DevelopmentAuthority = await createDevelopmentAuthority({
    passTypeId: PASS_TYPE_ID,
    teamId: TEAM_ID,
    organizationName: 'Example Organization',
  });
  await command('certificate import', { ...files, development: true });
  const google = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  await command('google-issuer import', {
    issuerId: GOOGLE_ISSUER_ID,
    clientEmail: 'wallet@example-project.iam.gserviceaccount.com',
    privateKeyPem: google.privateKey,
    development: true,
  });
  return { rootPem, certificatePem: files.certificatePem, googlePublicKeyPem: google.publicKey };
}
