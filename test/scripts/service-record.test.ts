import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  claimState,
  getService,
  publishRecord,
  releaseState,
  type ServiceRecord,
} from '../../scripts/service-record.ts';

let stateDir: string;
let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer((_, reply) => reply.end('{"status":"ok"}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'service-record-'));
});
afterEach(() => {
  releaseState(stateDir);
  rmSync(stateDir, { recursive: true });
});

const recordOf = (change: Partial<ServiceRecord> = {}): ServiceRecord => ({
  pid: process.pid,
  baseUrl: 'http://localhost:8787',
  origin,
  adminToken: 'token',
  ...change,
});

const MODULE = join(import.meta.dirname, '../../scripts/service-record.ts');

/** Starts a separate process that holds the state until it is killed. */
async function startHolder(record: ServiceRecord): Promise<ChildProcess> {
  const program = `
    import { claimState, publishRecord } from ${JSON.stringify(MODULE)};
    await claimState(${JSON.stringify(stateDir)});
    publishRecord(${JSON.stringify(stateDir)}, { ...${JSON.stringify(record)}, pid: process.pid });
    console.log('holds it');
    setInterval(() => {}, 1000);
  `;
  const options: SpawnOptions = { stdio: ['ignore', 'pipe', 'inherit'] };
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', program], options);
  await once(holder.stdout!, 'data');
  return holder;
}

/** Ends it like a crash, without cleanup. */
async function crash(holder: ChildProcess): Promise<void> {
  const ended = once(holder, 'exit');
  holder.kill('SIGKILL');
  await ended;
}

const fileOf = () => join(stateDir, 'service.json');

describe('claimState', () => {
  test('returns the running service, whose record only its owner can read', async () => {
    expect(await claimState(stateDir)).toBeUndefined();
    publishRecord(stateDir, recordOf());
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
    expect(await claimState(stateDir)).toEqual(recordOf());
  });

  test('leaves the state to a process that holds it, and takes over when that has ended', async () => {
    const holder = await startHolder(recordOf());
    expect(await claimState(stateDir)).toMatchObject({ pid: holder.pid });
    await crash(holder);
    expect(await claimState(stateDir, 0)).toBeUndefined();
    expect(() => statSync(fileOf())).toThrow('ENOENT');
  });

  test('ignores the record of an ended process, even if its number is reused', async () => {
    writeFileSync(fileOf(), JSON.stringify(recordOf()));
    expect(await claimState(stateDir, 0)).toBeUndefined();
  });

  test('gives the state to one of 50 simultaneous callers', async () => {
    const claims = Array.from({ length: 50 }, () => claimState(stateDir));
    await Promise.race(claims);
    publishRecord(stateDir, recordOf());
    const running = (await Promise.all(claims)).filter((record) => record !== undefined);
    expect(running).toEqual(Array.from({ length: 49 }, () => recordOf()));
  });

  test('waits for a service that is starting', async () => {
    await claimState(stateDir);
    const claimed = claimState(stateDir);
    publishRecord(stateDir, recordOf({ adminToken: 'ready now' }));
    expect(await claimed).toMatchObject({ adminToken: 'ready now' });
  });

  test('waits until another command is done', async () => {
    await claimState(stateDir);
    const claimed = claimState(stateDir);
    releaseState(stateDir);
    expect(await claimed).toBeUndefined();
  });

  test('reports who holds the state if it does not answer', async () => {
    await claimState(stateDir);
    await expect(claimState(stateDir, 0)).rejects.toThrow('is used by another process: stop that process');
    publishRecord(stateDir, recordOf({ origin: 'http://127.0.0.1:1' }));
    await expect(claimState(stateDir, 0)).rejects.toThrow(`is used by process ${process.pid}`);
  });
});

describe('getService', () => {
  test('returns the record of a healthy service', async () => {
    publishRecord(stateDir, recordOf());
    expect(await getService(stateDir)).toEqual(recordOf());
  });

  test.each<[string, () => void]>([
    ['has no record', () => {}],
    [
      'has the record of a service that ended',
      () => publishRecord(stateDir, recordOf({ origin: 'http://127.0.0.1:1' })),
    ],
  ])('names the folder if it %s', async (_, prepare) => {
    prepare();
    await expect(getService(stateDir)).rejects.toThrow(`No service runs on ${stateDir}. Run npm start`);
  });
});

describe('releaseState', () => {
  test('deletes the record', async () => {
    await claimState(stateDir);
    publishRecord(stateDir, recordOf());
    releaseState(stateDir);
    expect(() => statSync(fileOf())).toThrow('ENOENT');
  });

  test('keeps the record of another process', async () => {
    const holder = await startHolder(recordOf());
    releaseState(stateDir);
    expect(readFileSync(join(stateDir, 'service.json'), 'utf8')).toContain(String(holder.pid));
    await crash(holder);
  });
});
