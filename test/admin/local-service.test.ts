import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/ports.ts';

const ROOT = join(import.meta.dirname, '../..');
const RUN = join(ROOT, 'scripts/run.mjs');
const START_MILLIS_MAX = 60_000;
const AGAIN_MILLIS_MAX = 10_000;
const SLOW = 3 * START_MILLIS_MAX;

const folder = mkdtempSync(join(tmpdir(), 'local-service-'));
afterAll(() => rmSync(folder, { recursive: true }));

const port = await freePort();
const env = {
  ...process.env,
  PORT: String(port),
  STATE_DIR: join(folder, 'state'),
  LOCAL_DIR: join(folder, 'local'),
  BASE_URL: '',
};
const baseUrl = `http://localhost:${port}`;
const demoFile = join(folder, 'local/demo.json');
const readDemo = () => JSON.parse(readFileSync(demoFile, 'utf8'));

/** Runs `npm start`'s script until it says that the service is running; returns what it printed. */
async function start(): Promise<{ service: ChildProcess; printed: string; millis: number }> {
  const startedAt = Date.now();
  const service = spawn(process.execPath, [RUN, 'scripts/start.ts'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [service.stdout, service.stderr]) {
      stream?.on('data', (chunk) => {
        printed += chunk;
        if (printed.includes('Ctrl-C stops')) resolve();
      });
    }
    service.on('exit', () => reject(new Error(printed)));
  });
  await ready;
  return { service, printed, millis: Date.now() - startedAt };
}

async function stop(service: ChildProcess): Promise<number> {
  service.kill('SIGINT');
  const [code] = await once(service, 'close');
  return code;
}

async function admin(...words: string[]) {
  const { stdout } = await promisify(execFile)(process.execPath, [RUN, 'scripts/admin.ts', ...words, '--json'], {
    cwd: ROOT,
    env,
  });
  return JSON.parse(stdout);
}

const statusWith = async (apiKey: string) =>
  (await fetch(`${baseUrl}/api/v3/project`, { headers: { Authorization: apiKey } })).status;

describe('npm start', () => {
  it('starts with a demo, takes commands, stops wholly and keeps its data', { timeout: SLOW }, async () => {
    const { service, printed } = await start();
    const demo = readDemo();
    expect(demo).toEqual({
      baseUrl,
      accountId: expect.any(String),
      apiKey: expect.stringMatching(/^pk_/),
      templates: Object.fromEntries(
        ['boardingPass', 'eventTicket', 'storeCard', 'coupon', 'generic'].map((key) => [key, expect.any(String)]),
      ),
    });
    expect(statSync(demoFile).mode & 0o777).toBe(0o600);
    for (const fact of [baseUrl, demo.apiKey, `${baseUrl}/docs`, 'curl -X POST', '/console/sign-in?token=']) {
      expect(printed).toContain(fact);
    }
    expect(await statusWith(demo.apiKey)).toBe(200);

    const { apiKey, apiKeyId } = await admin('api-key', 'create', '--account', demo.accountId, '--name', 'Second');
    expect(await statusWith(apiKey)).toBe(200);

    const run = promisify(execFile)(process.execPath, [RUN, 'scripts/demo.ts'], { cwd: ROOT, env });
    expect((await run).stdout).toContain('✓ the manifest names every file');

    expect(await stop(service)).toBe(0);
    await expect(fetch(`${baseUrl}/health`)).rejects.toThrow();

    // Without the service the command starts a Worker of its own on the same state.
    expect(await admin('api-key', 'deactivate', '--id', apiKeyId)).toEqual({ apiKeyId, active: false });

    const again = await start();
    expect(again.millis).toBeLessThan(AGAIN_MILLIS_MAX);
    expect(readDemo()).toEqual(demo);
    expect([await statusWith(demo.apiKey), await statusWith(apiKey)]).toEqual([200, 401]);
    expect(await stop(again.service)).toBe(0);
  });
});
