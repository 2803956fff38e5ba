import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import worker from '../../src/index.ts';
import type { Env } from '../../src/platform/env.ts';
import { CloudflareStandIn } from '../support/cloudflare-stand-in.ts';
import { d1Over } from '../support/d1-over.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/*
 * npm run deploy and npm run rollback, with wrangler, against a stand-in of Cloudflare's API. What is deployed runs in
 * this process, on the databases of the stand-in and with the secrets that came with the deployment.
 */

const WORKER = 'pass-wallet-service';
const MIGRATIONS = readdirSync('migrations').filter((name) => name.endsWith('.sql')).length;

let cloudflare: CloudflareStandIn;
let folder: string;
let service: ServiceInProcess;

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

const execution = { waitUntil() {}, passThroughOnException() {} } as unknown as ExecutionContext;
const isolates = new Map<number, Env>();

/** The environment of what was deployed last. */
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
  said: string;
}

function run(script: string, words: string[] = [], more: Record<string, string> = {}): Promise<Ended> {
  const { CI: _, WORKERS_CI: __, CLOUDFLARE_ENV: ___, ...inherited } = process.env;
  const env = { ...inherited, ...cloudflare.environment, LOCAL_DIR: folder, ...more };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...words], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, said: stdout + stderr });
    });
  });
}

const deploy = (words: string[] = [], more = {}) =>
  run('scripts/deploy.ts', ['--url', cloudflare.origin, ...words], more);

describe('npm run deploy', () => {
  test('stops at the first failure, and deploys nothing', async () => {
    cloudflare.refusal = {
      matches: ({ method, path, body }) => method === 'POST' && path === '/queues' && String(body).includes('webhooks'),
      status: 400,
      message: 'Queues is not available',
    };
    const { code, said } = await deploy();
    expect(said).toContain('Cloudflare refused POST /queues: Queues is not available');
    expect(code).toBe(1);
    expect(cloudflare.uploads).toEqual([]);
    cloudflare.refusal = undefined;
  });

  test('goes on where it ended, creates what is missing, and tries a pass at the deployed address', async () => {
    const earlier = cloudflare.takeWrites();
    const { code, said } = await deploy(['--location', 'weur']);
    console.error(said, cloudflare.unknown);
    expect(said).toContain('Smoke test passed: created a pass');
    expect(code).toBe(0);
    const writes = [...earlier, ...cloudflare.takeWrites()];
    expect(writes).toEqual([]);
  });
});
