import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isHealthy } from '../../scripts/service-record.ts';
import { startWorker } from '../../scripts/worker-process.ts';

const MODULE = join(import.meta.dirname, '../../scripts/worker-process.ts');

/** A Worker instead of ours; its variable determines its health. */
const WORKER = `export default {
  fetch: (_, { HEALTH, SAID }) => (console.log(SAID), console.error('wrong: ' + SAID), new Response(HEALTH, { status: Number(HEALTH) })),
  scheduled: () => console.log('cron'),
};`;

let folder: string;
let config: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'worker-process-'));
  config = join(folder, 'wrangler.json');
  writeFileSync(join(folder, 'worker.js'), WORKER);
  writeFileSync(config, JSON.stringify({ name: 'other', main: 'worker.js', compatibility_date: '2026-01-01' }));
});
afterAll(() => rmSync(folder, { recursive: true }));

const options = (HEALTH = '200') => ({
  config,
  stateDir: join(folder, 'state'),
  variables: { HEALTH, SAID: 'a "quoted"\nword' },
});

/** Returns the process ID of the leader of the Worker's group, a child of this process. */
function hostOf(parent: number): number {
  const { stdout } = spawnSync('pgrep', ['-P', String(parent), '-f', 'worker-host.ts'], { encoding: 'utf8' });
  return Number(stdout);
}

const ends = (origin: string) => expect.poll(() => isHealthy(origin)).toBe(false);

test('runs until it is stopped, and separates errors from other output', async () => {
  const lines: [string, boolean][] = [];
  const { origin, stop, ended } = await startWorker({ ...options(), onLine: (...line) => lines.push(line) });
  expect(await isHealthy(origin)).toBe(true);
  await expect.poll(() => lines.filter(([line]) => line === 'word').length).toBeGreaterThanOrEqual(4);
  expect(lines).toContainEqual(['a "quoted"', false]);
  expect(lines).toContainEqual(['wrong: a "quoted"', true]);
  await stop();
  await ended;
  await ends(origin);
});

test('leaves nothing behind when its leader is killed', async () => {
  const { origin, ended } = await startWorker(options());
  process.kill(hostOf(process.pid), 'SIGKILL');
  await ended;
  await ends(origin);
});

test('ends completely when its parent process is killed', async () => {
  const program = `
    import { startWorker } from ${JSON.stringify(MODULE)};
    console.log((await startWorker(${JSON.stringify(options())})).origin);
  `;
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [origin] = await once(createInterface({ input: starter.stdout! }), 'line');
  expect(await isHealthy(origin)).toBe(true);
  starter.kill('SIGKILL');
  await ends(origin);
});

test('reports why it did not start', async () => {
  await expect(startWorker(options('503'))).rejects.toThrow(/^The Worker did not start: .*wrong/s);
  await expect(startWorker({ ...options(), config: join(folder, 'none.json') })).rejects.toThrow(
    /^The Worker did not start: .*none\.json/s,
  );
});
