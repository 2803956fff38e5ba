import { spawn } from 'node:child_process';
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
afterEach(() => rmSync(stateDir, { recursive: true }));

/**
 * Of a process that lives as long as this one: who finds its own number in a record has found one of a process before
 * it.
 */
const recordOf = (change: Partial<ServiceRecord> = {}): ServiceRecord => ({
  pid: process.ppid,
  baseUrl: 'http://localhost:8787',
  origin,
  adminToken: 'token',
  state: 'ready',
  ...change,
});

/** The number of a process that has ended. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['--eval', '']);
  await once(child, 'exit');
  return child.pid!;
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

  test('takes over from a process that is gone', async () => {
    await claimState(stateDir, recordOf({ pid: await endedPid() }));
    expect(await claimState(stateDir, recordOf())).toBeUndefined();
    expect(await claimState(stateDir, recordOf())).toMatchObject({ pid: process.ppid });
  });

  test('takes over from a process whose number has gone to itself', async () => {
    await claimState(stateDir, recordOf({ pid: process.pid, adminToken: 'of the process before' }));
    expect(await claimState(stateDir, recordOf({ pid: process.pid, adminToken: 'own' }), 0)).toBeUndefined();
    expect(readFileSync(join(stateDir, 'service.json'), 'utf8')).toContain('own');
  });

  test('takes over from a process whose number has gone to another', async () => {
    await claimState(stateDir, recordOf({ adminToken: 'of the process before' }));
    const file = join(stateDir, 'service.json');
    const { began, ...record } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(
      file,
      JSON.stringify({ ...record, began: began.replace(/\d(?=\d*$)/, (digit: string) => 9 - Number(digit)) }),
    );
    expect(await claimState(stateDir, recordOf({ adminToken: 'own' }), 0)).toBeUndefined();
    expect(readFileSync(file, 'utf8')).toContain('own');
  });

  test('believes the number alone of a record that says no more', async () => {
    writeFileSync(join(stateDir, 'service.json'), JSON.stringify(recordOf()));
    expect(await claimState(stateDir, recordOf(), 0)).toMatchObject({ pid: process.ppid });
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
    rmSync(join(stateDir, 'service.json'));
    expect(await claimed).toBeUndefined();
    expect(readFileSync(join(stateDir, 'service.json'), 'utf8')).toContain('next');
  });

  test('says who holds the state when it does not answer', async () => {
    await claimState(stateDir, recordOf({ origin: 'http://127.0.0.1:1' }));
    await expect(claimState(stateDir, recordOf(), 0)).rejects.toThrow(`is used by process ${process.ppid}`);
  });
});

describe('releaseState', () => {
  test('leaves the record of another process alone', async () => {
    await claimState(stateDir, recordOf());
    releaseState(stateDir);
    expect(readFileSync(join(stateDir, 'service.json'), 'utf8')).toContain(String(process.ppid));
  });
});
