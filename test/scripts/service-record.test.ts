import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claimState, releaseState, type ServiceRecord, updateRecord } from '../../scripts/service-record.ts';

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
  state: 'ready',
  ...change,
});

const MODULE = join(import.meta.dirname, '../../scripts/service-record.ts');

/** A process of its own that holds the state, until it is killed. */
async function startHolder(record: ServiceRecord): Promise<ChildProcess> {
  const program = `
    import { claimState } from ${JSON.stringify(MODULE)};
    await claimState(${JSON.stringify(stateDir)}, { ...${JSON.stringify(record)}, pid: process.pid });
    console.log('holds it');
    setInterval(() => {}, 1000);
  `;
  const options: SpawnOptions = { stdio: ['ignore', 'pipe', 'inherit'] };
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', program], options);
  await once(holder.stdout!, 'data');
  return holder;
}

/** Ends it as a crash does: it tidies nothing up. */
async function crash(holder: ChildProcess): Promise<void> {
  const ended = once(holder, 'exit');
  holder.kill('SIGKILL');
  await ended;
}

describe('claimState', () => {
  test('places a record that only its owner can read, and takes it away again', async () => {
    const own = recordOf({ pid: process.pid });
    expect(await claimState(stateDir, own)).toBeUndefined();
    const file = join(stateDir, 'service.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject(own);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    releaseState(stateDir);
    expect(() => statSync(file)).toThrow('ENOENT');
  });

  test('returns the service that runs', async () => {
    await claimState(stateDir, recordOf({ adminToken: 'first' }));
    expect(await claimState(stateDir, recordOf({ adminToken: 'second' }))).toMatchObject({ adminToken: 'first' });
  });

  test('leaves the state to a process that holds it, and takes over when that is gone', async () => {
    const holder = await startHolder(recordOf({ adminToken: 'of the process before' }));
    expect(await claimState(stateDir, recordOf({ adminToken: 'own' }))).toMatchObject({ pid: holder.pid });
    await crash(holder);
    expect(await claimState(stateDir, recordOf({ adminToken: 'own' }), 0)).toBeUndefined();
    expect(readFileSync(join(stateDir, 'service.json'), 'utf8')).toContain('own');
  });

  test('believes no record that nobody holds, whoever has its number now', async () => {
    writeFileSync(join(stateDir, 'service.json'), JSON.stringify(recordOf({ adminToken: 'of the process before' })));
    expect(await claimState(stateDir, recordOf({ adminToken: 'own' }), 0)).toBeUndefined();
    expect(readFileSync(join(stateDir, 'service.json'), 'utf8')).toContain('own');
  });

  test('gives the state to one of many processes that ask at once', async () => {
    const claims = await Promise.all(
      Array.from({ length: 50 }, (_, i) => claimState(stateDir, recordOf({ adminToken: String(i) }))),
    );
    expect(claims.filter((running) => running === undefined)).toHaveLength(1);
  });

  test('waits for a service that is starting', async () => {
    await claimState(stateDir, recordOf({ state: 'starting' }));
    const claimed = claimState(stateDir, recordOf());
    updateRecord(stateDir, recordOf({ adminToken: 'ready now' }));
    expect(await claimed).toMatchObject({ adminToken: 'ready now' });
  });

  test('waits until another command is done', async () => {
    await claimState(stateDir, recordOf({ state: 'command' }));
    const claimed = claimState(stateDir, recordOf({ adminToken: 'next' }));
    releaseState(stateDir);
    expect(await claimed).toBeUndefined();
    expect(readFileSync(join(stateDir, 'service.json'), 'utf8')).toContain('next');
  });

  test('says who holds the state when it does not answer', async () => {
    await claimState(stateDir, recordOf({ origin: 'http://127.0.0.1:1' }));
    await expect(claimState(stateDir, recordOf(), 0)).rejects.toThrow(`is used by process ${process.pid}`);
  });
});

describe('releaseState', () => {
  test('leaves the record of another process alone', async () => {
    const holder = await startHolder(recordOf());
    releaseState(stateDir);
    expect(readFileSync(join(stateDir, 'service.json'), 'utf8')).toContain(String(holder.pid));
    await crash(holder);
  });
});
