import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import { boundDatabases } from '../../scripts/bound-databases.ts';
import { DEPLOY } from '../../scripts/cli/commands/deploy.ts';
import { ROLLBACK } from '../../scripts/cli/commands/rollback.ts';
import { createDevelopmentAuthority } from '../../scripts/development-ca.ts';
import { prepareRemote } from '../../scripts/remote-worker.ts';
import { importCertificate as importFiles } from '../../src/domain/certificates/import-certificate.ts';
import { contextIn } from '../../src/domain/context.ts';
import { SETUP_TOKEN_CHARS_MIN } from '../../src/domain/setup/set-up-service.ts';
import worker from '../../src/index.ts';
import type { Env } from '../../src/platform/env.ts';
import { readEncryptionKeys } from '../../src/platform/sealed-text.ts';
import { ACCOUNT_ID, CloudflareStandIn } from '../support/cloudflare-stand-in.ts';
import { d1Over } from '../support/d1-over.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/** Starting wrangler takes seconds, and far longer on a busy machine. */
vi.setConfig({ testTimeout: 240_000 });

/*
 * npm run deploy and npm run rollback, with wrangler, against a stand-in for Cloudflare's API. The deployed Worker runs
 * in this process, with the stand-in's databases and the deployment's secrets.
 */

const WORKER = 'pass-wallet-service';
const MIGRATIONS = readdirSync('migrations').filter((name) => name.endsWith('.sql')).length;

/** Takes the place of wrangler, which takes a second to start, for command lines that wrangler has carried out. */
const STAND_IN = pathToFileURL(join(import.meta.dirname, '../support/wrangler-stand-in.ts')).href;

let cloudflare: CloudflareStandIn;
let folder: string;
let service: ServiceInProcess;
/** Command lines that the real wrangler has carried out. */
const carriedOut: string[][] = [];

beforeAll(async () => {
  cloudflare = await new CloudflareStandIn().start();
  folder = mkdtempSync(join(tmpdir(), 'deploy-test-'));
  service = new ServiceInProcess();
  vi.useRealTimers();
  cloudflare.worker = async (request) => worker.fetch(request as never, deployedEnv(), execution);
});

afterAll(async () => {
  await cloudflare.close();
  service.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  // Silences the deployed Worker's log.
  vi.spyOn(console, 'log').mockReturnValue();
});

const execution = { waitUntil() {}, passThroughOnException() {} } as unknown as ExecutionContext;
const isolates = new Map<number, Env>();

/** Returns the environment of the latest deployment. */
function deployedEnv(): Env {
  const version = cloudflare.uploads.length;
  const known = isolates.get(version);
  if (known) return known;
  const database = cloudflare.databaseNamed('pass-wallet');
  const DB = d1Over(async (statements) => cloudflare.run(database, statements) as unknown as D1Result[]);
  const secrets = Object.fromEntries(cloudflare.secrets.get(WORKER)!);
  const none = { BASE_URL: '', ADMIN_TOKEN: undefined, ENCRYPTION_KEY: undefined };
  const env = { ...service.env, ...none, ...secrets, DB } as Env;
  isolates.set(version, env);
  return env;
}

interface Ended {
  code: number;
  /** Command lines of wrangler. */
  calls: string[][];
  /** Progress, followed by standard output. */
  said: string;
  stdout: string;
}

function run(script: string, words: string[] = [], more: Record<string, string> = {}): Promise<Ended> {
  const { CI: _, WORKERS_CI: __, CLOUDFLARE_ENV: ___, NODE_OPTIONS = '', ...inherited } = process.env;
  const calls = join(folder, 'calls.jsonl');
  writeFileSync(calls, '');
  const recorded = { NODE_OPTIONS: `${NODE_OPTIONS} --import ${STAND_IN}`, WRANGLER_CALLS: calls };
  const env = { ...inherited, ...cloudflare.environment, ...recorded, LOCAL_DIR: folder, ...more };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...words], { env }, (error, stdout, stderr) => {
      const lines = readFileSync(calls, 'utf8').split('\n').slice(0, -1);
      const ended = { code: error ? Number(error.code ?? 1) : 0, calls: lines.map((line) => JSON.parse(line)) };
      resolve({ ...ended, said: stderr + stdout, stdout });
    });
  });
}

/** Imports a certificate for the whole service, like an operator. */
async function importCertificate(): Promise<void> {
  const { rootPem: _, ...files } = await createDevelopmentAuthority({
    passTypeId: 'pass.com.example.smoke',
    teamId: 'TESTTEAM01',
    organizationName: 'Example',
    keyType: 'ec',
  });
  const ctx = contextIn({ ...deployedEnv(), ADMIN_TOKEN: 'operator' }, 'DB', {
    requestId: crypto.randomUUID(),
    waitUntil() {},
  });
  await importFiles(ctx, null, { ...files, development: true });
}

const deploy = (words: string[] = [], more = {}) =>
  run('scripts/deploy.ts', ['--url', cloudflare.origin, ...words], more);

/** Write requests of a deployment that changes only the Worker. */
const DEPLOYS_ALONE = /^(PUT|POST|PATCH) \/(workers\/|queues\/queue-\d+\/consumers)/;

const secretsFile = () => join(folder, 'deployment', `${WORKER}.${ACCOUNT_ID}.secrets.json`);
const stepsOf = (said: string) => said.split('Next steps:\n')[1]!.trim().split('\n');

function submitSetUp(token: string): Promise<Response> {
  const body = new URLSearchParams({ token, name: 'Aurora Rail', timezone: 'UTC', email: 'ada@example.com' });
  const headers = { 'Sec-Fetch-Site': 'same-origin' };
  return fetch(`${cloudflare.origin}/setup`, { method: 'POST', body, headers, redirect: 'manual' });
}

const secretsNow = () => Object.fromEntries(cloudflare.secrets.get(WORKER) ?? []);
const accountsNow = () => cloudflare.databaseNamed('pass-wallet').prepare('select name from accounts').all();

describe('npm run deploy', () => {
  test('stops at the first failure, and deploys nothing', async () => {
    cloudflare.refusal = {
      matches: ({ method, path, body }) => method === 'POST' && path === '/queues' && String(body).includes('webhooks'),
      status: 400,
      message: 'Queues is not available',
    };
    const { code, said } = await deploy(['--location', 'weur']);
    expect(said).toContain('Cloudflare refused POST /queues: Queues is not available');
    expect(code).toBe(1);
    expect(cloudflare.uploads).toEqual([]);
    const created = cloudflare.requests.find(({ method, path }) => method === 'POST' && path === '/d1/database');
    expect(JSON.parse(String(created!.body))).toEqual({ name: 'pass-wallet', primary_location_hint: 'weur' });
    expect([...cloudflare.queues.keys()]).toHaveLength(4);
    cloudflare.refusal = undefined;
  });

  test('continues where it ended, creates missing resources, and tests a pass at the deployed address', async () => {
    cloudflare.takeWrites();
    const { code, said, calls } = await deploy();
    expect(said).toContain('Smoke test passed: created a pass, downloaded its page; its file needs a certificate');
    expect(code).toBe(0);
    expect(calls.map(([command]) => command)).toEqual(['d1', 'd1', 'deploy']);
    carriedOut.push(...calls);
    expect(stepsOf(said)).toEqual([
      expect.stringContaining(`1. Keep a copy of ENCRYPTION_KEYS and SETUP_TOKEN in a password manager`),
      `2. Create the first account: open ${cloudflare.origin}/setup and enter the setup token ${secretsNow().SETUP_TOKEN}.`,
      expect.stringContaining('3. Import a certificate for Apple Wallet'),
      expect.stringContaining('4. Import a Google issuer'),
      expect.stringContaining('5. Set MAIL_FROM'),
    ]);
    // The resources from the first run stay.
    expect(cloudflare.takeWrites().filter((write) => !DEPLOYS_ALONE.test(write))).toEqual(
      Array(3).fill('POST /queues'),
    );
    expect([...cloudflare.databases.values()].map(({ name }) => name)).toEqual(['pass-wallet', 'pass-wallet-1']);
    expect(cloudflare.buckets.get('pass-wallet-files')!.rules.map(({ id }) => id)).toEqual([
      'Default Multipart Abort Rule',
      'kept-pass-files',
    ]);
    for (const { database } of cloudflare.databases.values()) {
      expect(database.prepare('select count(*) as applied from d1_migrations').get()).toEqual({ applied: MIGRATIONS });
    }
    const config = unstable_readConfig({ config: 'wrangler.toml' });
    const consumed = (config.queues.consumers ?? []).map(({ queue }: { queue: string }) => queue);
    expect([...cloudflare.queues.keys()].sort()).toEqual(consumed.toSorted());
    expect([...cloudflare.queues.values()].map(({ consumers }) => consumers.length)).toEqual(Array(7).fill(1));
    const { bindings } = cloudflare.uploads.at(-1)!.metadata;
    const ids = bindings.filter(({ type }) => type === 'd1').map(({ id }) => id);
    expect(ids).toEqual([...cloudflare.databases.keys()]);
    expect(cloudflare.unknown).toEqual([]);
  });

  test('does not change wrangler.toml', () => {
    const ids = boundDatabases().map(({ database_id: id }) => id);
    expect(ids).toEqual(['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001']);
  });

  test('creates missing secrets, in a file that only their owner can read', async () => {
    const made = secretsNow();
    expect(Object.keys(made).sort()).toEqual(['ENCRYPTION_KEYS', 'SETUP_TOKEN']);
    expect(readEncryptionKeys(made).current.id).toBe('1');
    expect(made.SETUP_TOKEN!.length).toBeGreaterThanOrEqual(SETUP_TOKEN_CHARS_MIN);
    expect(JSON.parse(readFileSync(secretsFile(), 'utf8'))).toEqual(made);
    expect(statSync(secretsFile()).mode & 0o777).toBe(0o600);
  });

  let withoutSecrets: string[][];

  test('mentions these secrets until their file is deleted, because a run may end before it shows them', async () => {
    const { said, calls } = await deploy(['--skip-smoke-test'], { WRANGLER_STAND_IN: 'd1 deploy' });
    withoutSecrets = calls;
    expect(stepsOf(said).slice(0, 2)).toEqual([
      expect.stringContaining('1. Keep a copy of ENCRYPTION_KEYS and SETUP_TOKEN'),
      expect.stringContaining(`enter the setup token ${secretsNow().SETUP_TOKEN}.`),
    ]);
    expect(said).not.toContain(secretsNow().ENCRYPTION_KEYS);
  });

  test('leaves no account behind, and keeps the setup page open', async () => {
    expect(accountsNow()).toEqual([]);
    expect((await fetch(`${cloudflare.origin}/setup`)).status).toBe(200);
  });

  test('creates nothing twice, keeps the secrets, and tests a pass file once there is a certificate', async () => {
    const before = secretsNow();
    rmSync(secretsFile());
    expect((await submitSetUp(before.SETUP_TOKEN!)).status).toBe(303);
    await importCertificate();
    const { code, said, stdout, calls } = await deploy(['--json'], { WRANGLER_STAND_IN: 'd1' });
    carriedOut.push(...calls.filter(([command]) => command === 'deploy'));
    // No run calls the stand-in with a command line that wrangler has not carried out.
    expect(carriedOut).toEqual(expect.arrayContaining([...calls, ...withoutSecrets]));
    expect(said).toContain('Smoke test passed: created a pass, downloaded its page and file, and deleted it.');
    expect(code).toBe(0);
    expect(cloudflare.takeWrites().filter((write) => !DEPLOYS_ALONE.test(write))).toEqual([]);
    expect(secretsNow()).toEqual(before);
    for (const secret of Object.values(before)) expect(said).not.toContain(secret);
    const deployed = JSON.parse(stdout);
    expect(deployed).toEqual({
      worker: WORKER,
      accountId: ACCOUNT_ID,
      address: cloudflare.origin,
      smokeTest: 'passed',
      leftToDo: [expect.stringContaining('Import a Google issuer'), expect.stringContaining('Set MAIL_FROM')],
    });
    expect(Object.keys(deployed)).toEqual(Object.keys(DEPLOY.output.document));
    expect(accountsNow()).toEqual([{ name: 'Aurora Rail' }]);
  });

  test('does not deploy if a migration fails', async () => {
    const versions = cloudflare.uploads.length;
    cloudflare.refusal = { matches: ({ path }) => path.endsWith('/query'), status: 500, message: 'D1 is away' };
    const { code, said, stdout } = await deploy(['--json']);
    cloudflare.refusal = undefined;
    expect(JSON.parse(stdout)).toEqual({ error: expect.stringContaining('Nothing was deployed.') });
    expect(said).toContain('The migrations could not be applied to DB. Nothing was deployed.');
    expect([code, cloudflare.uploads.length]).toEqual([1, versions]);
  });
});

describe('commands with --remote', () => {
  test('reach the deployment’s databases and bucket', async () => {
    for (const [name, value] of Object.entries(cloudflare.environment)) vi.stubEnv(name, value);
    const { config } = await prepareRemote(folder, { ...process.env, ...secretsNow(), CLOUDFLARE_ENV: '' });
    vi.unstubAllEnvs();
    const {
      d1_databases: databases,
      r2_buckets: buckets,
      account_id: account,
    } = JSON.parse(readFileSync(config, 'utf8'));
    expect(databases).toMatchObject([...cloudflare.databases.keys()].map((id) => ({ database_id: id, remote: true })));
    expect(buckets).toMatchObject([{ bucket_name: 'pass-wallet-files', remote: true }]);
    expect(account).toBe(ACCOUNT_ID);
  });
});

describe('npm run rollback', () => {
  test('rolls back to the previous version, and waits until the address of the service is healthy', async () => {
    cloudflare.takeWrites();
    const { code, stdout } = await run('scripts/rollback.ts', ['--json']);
    const rolledBack = JSON.parse(stdout);
    expect(rolledBack).toEqual({ worker: WORKER, address: cloudflare.origin, healthy: true });
    expect(Object.keys(rolledBack)).toEqual(Object.keys(ROLLBACK.output.document));
    expect(code).toBe(0);
    const asked = cloudflare.requests.find(({ method, path }) => method === 'POST' && path.endsWith('/deployments'));
    const version = `version-${cloudflare.uploads.length - 2}`;
    expect(JSON.parse(String(asked!.body))).toMatchObject({ versions: [{ version_id: version, percentage: 100 }] });
  });
});

describe('without a sign-in', () => {
  test('a deployment explains how to sign in', async () => {
    for (const script of ['scripts/deploy.ts', 'scripts/rollback.ts']) {
      const { code, said } = await run(script, [], { CLOUDFLARE_API_TOKEN: 'wrong' });
      expect([code, said]).toEqual([
        1,
        expect.stringContaining('run "npx wrangler login", or set CLOUDFLARE_API_TOKEN'),
      ]);
    }
  });
});
