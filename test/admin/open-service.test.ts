import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServiceRecord } from '../../scripts/service-record.ts';
import { interrupt, LocalService } from '../support/local-service.ts';
import { networkAddress, withoutNetwork } from '../support/network-address.ts';

/*
 * With HOST=0.0.0.0, other machines on the network reach the service and nothing else. This machine's own network
 * address stands in for them, because connections to it aren't loopback. The phone in the terminal uses the same
 * service, because a start takes ten seconds of processor time.
 */

/** local-service.test.ts checks the limit of a minute; in parallel with seven other lanes, it took 40 seconds. */
const START_MILLIS_MAX = 180_000;
const SLOW = 60_000;

const local = await LocalService.prepare(networkAddress ? { HOST: '0.0.0.0' } : {});
let service: ChildProcess;
beforeAll(async () => {
  await local.migrateAhead();
  ({ service } = await local.start());
}, START_MILLIS_MAX);
afterAll(async () => {
  if (service) await interrupt(service);
  local.remove();
});

describe.skipIf(!networkAddress)(`a service that is open to its network${withoutNetwork}`, () => {
  let record: ServiceRecord;
  beforeAll(() => {
    ({ record } = local);
  });

  interface Sent {
    host?: string;
    method?: string;
    path: string;
    headers?: Record<string, string>;
    body?: string;
  }

  /** Sends from the network, unless `host` says otherwise; `fetch` would not send another name. */
  async function ask({ host = networkAddress!, body, ...options }: Sent) {
    const sent = request({ host, port: local.port, agent: false, ...options });
    sent.end(body);
    const [reply] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: reply.statusCode, body: await text(reply) };
  }

  const command = (headers: Record<string, string>, host?: string) =>
    ask({
      host,
      method: 'POST',
      path: '/admin/commands',
      headers: { Authorization: `Bearer ${record.adminToken}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ command: 'api-key list', options: { account: local.demo.accountId } }),
    });

  /** Headers with which a request could claim to come from this machine. */
  const CLAIMS: [string, Record<string, string>][] = [
    ['nothing', {}],
    ['a name', { Host: 'localhost' }],
    ['a name with its port', { Host: '127.0.0.1:8787' }],
    ['an address', { Host: 'localhost', 'CF-Connecting-IP': '127.0.0.1' }],
    ['two addresses', { Host: 'localhost', 'CF-Connecting-IP': '127.0.0.1', 'X-Forwarded-For': '127.0.0.1' }],
    ['a URL for wrangler', { Host: 'localhost', 'MF-Original-URL': 'http://localhost/dev/outbox' }],
    ['a cf object', { Host: 'localhost', 'MF-CF-Blob': '{"clientIp":"127.0.0.1:1"}' }],
    ['an origin', { Host: 'localhost', Origin: 'http://localhost' }],
  ];

  test('shows the service to its network', async () => {
    expect((await ask({ path: '/health' })).status).toBe(200);
    const headers = { Authorization: local.demo.apiKey };
    expect((await ask({ path: '/api/v3/project', headers })).status).toBe(200);
  });

  test.each(CLAIMS)('hides dev inbox and administration from a neighbor who claims %s', async (_, headers) => {
    for (const path of [
      '/dev/inbox',
      '/dev/inbox/1',
      '/dev/outbox',
      '/dev/outbox/1',
      '/dev/clock',
      '/dev//outbox',
      '/x/../dev/outbox',
    ]) {
      expect((await ask({ path, headers })).status, path).toBe(404);
    }
    expect((await command(headers)).status).toBe(404);
  });

  test.each(CLAIMS)('hides everything that wrangler adds from a neighbor who claims %s', async (_, headers) => {
    const paths = [
      '/cdn-cgi/explorer',
      '/cdn-cgi/local/explorer/api/d1/database',
      '/cdn-cgi/local/scheduled?cron=*+*+*+*+*',
      '/cdn-cgi/local/platform-proxy',
      '/cdn-cgi/mf/scheduled',
      '/cdn-cgi/live-reload',
      '/cdn-cgi/local/r2/public/x',
      '/x/%2E%2E/cdn-cgi/explorer',
    ];
    for (const path of paths) expect(await ask({ path, headers }), path).toEqual({ status: 404, body: 'Not found\n' });
  });

  test('shows dev inbox and administration to this machine', async () => {
    const host = '127.0.0.1';
    expect((await ask({ host, path: '/dev/inbox', headers: { Host: `localhost:${local.port}` } })).status).toBe(200);
    expect((await command({}, host)).status).toBe(200);
    expect((await ask({ host, path: '/dev/inbox', headers: { Host: 'rebound.example' } })).status).toBe(404);
  });

  test('has no explorer even where wrangler listens, which is only on the loopback address', async () => {
    const [ready] = /http:\/\/[\w.]+:\d+/.exec(
      /Ready on .*/.exec(readFileSync(join(local.folder, 'local/worker.log'), 'utf8'))![0],
    )!;
    const { port } = new URL(ready);
    const status = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    expect(await status('/cdn-cgi/explorer')).toBe(404);
    expect(await status('/cdn-cgi/local/explorer/api/d1/database')).toBe(404);
    await expect(fetch(`http://${networkAddress}:${port}/health`)).rejects.toThrow();
  });
});

/** The phone's output with --json, in order. */
type Said = Record<string, unknown> & { event: string };

const phones: ChildProcess[] = [];
afterAll(() => {
  for (const phone of phones) phone.kill('SIGKILL');
});

const startPhone = (...words: string[]) => follow(local.run('scripts/phone.ts', '--json', ...words));

/** Follows the output of a phone in its own process. */
function follow(program: ChildProcess) {
  phones.push(program);
  const said: Said[] = [];
  let errors = '';
  let heard = () => {};
  program.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  createInterface({ input: program.stdout! }).on('line', (line) => {
    said.push(JSON.parse(line));
    heard();
  });
  const ended = once(program, 'close').then(([code]) => ({ code: code as number, errors }));
  return {
    program,
    said,
    ended,
    async until(event: string): Promise<Said> {
      for (;;) {
        const found = said.find((one) => one.event === event);
        if (found) return found;
        const more = new Promise<undefined>((resolve) => {
          heard = () => resolve(undefined);
        });
        const end = await Promise.race([more, ended]);
        if (end && !said.some((one) => one.event === event)) throw new Error(`ended with ${JSON.stringify(end)}`);
      }
    },
  };
}

async function call(method: string, path: string, body: object): Promise<number> {
  const headers = { Authorization: local.demo.apiKey, 'Content-Type': 'application/json' };
  return (await fetch(local.baseUrl + path, { method, headers, body: JSON.stringify(body) })).status;
}

const serialNumberIn = (said: Said) => (said.passes as { serialNumber: string }[])[0]!.serialNumber;
const pushSettings = async () => (await local.command<{ push: unknown }[]>('certificate list')).map(({ push }) => push);

describe('npm run phone', () => {
  test('checks a pass, receives a push and shows what changed', { timeout: SLOW }, async () => {
    const phone = startPhone('--once', '--wait', '30');
    const downloaded = await phone.until('downloaded');
    expect(downloaded).toMatchObject({
      passes: [{ fields: { gate: 'A72' }, checks: [{ passed: true }, { passed: true }] }],
    });
    const serialNumber = serialNumberIn(downloaded);
    const { relayOrigin } = await phone.until('waiting');
    expect(await pushSettings()).toEqual([`relay ${relayOrigin}`]);
    expect(await call('PATCH', `/api/v3/pass/${serialNumber}`, { data: { originAirportGate: 'B12' } })).toBe(200);
    expect(await phone.ended).toEqual({ code: 0, errors: '' });
    expect(phone.said.slice(1)).toMatchObject([
      { event: 'registered', statuses: { [serialNumber]: 201 } },
      { event: 'waiting' },
      { event: 'pushed', topic: 'pass.com.example.development' },
      {
        event: 'updated',
        serialNumber,
        status: 'updated',
        changes: [
          { key: 'gate', from: 'A72', to: 'B12' },
          { key: 'semantics.departureGate', from: 'A72', to: 'B12' },
        ],
        messages: ['Your gate is now B12'],
      },
      { event: 'unregistered', statuses: { [serialNumber]: 200 } },
    ]);
    expect(await pushSettings()).toEqual([null]);
  });

  test('shuts down cleanly when interrupted; meanwhile no other phone can take its pushes', {
    timeout: SLOW,
  }, async () => {
    const phone = startPhone();
    await phone.until('waiting');
    const other = await startPhone().ended;
    expect(other.code).toBe(1);
    expect(other.errors).toContain(
      'Another phone receives the pushes for pass.com.example.development: stop it first.',
    );
    expect(await interrupt(phone.program)).toBe(0);
    expect(phone.said.at(-1)).toMatchObject({ event: 'unregistered' });
    expect(await pushSettings()).toEqual([null]);
  });

  test('takes over from one that was killed', { timeout: SLOW }, async () => {
    const killed = follow(local.runAlone('scripts/phone.ts', '--json'));
    const { relayOrigin } = await killed.until('waiting');
    killed.program.kill('SIGKILL');
    await killed.ended;
    expect(await pushSettings()).toEqual([`relay ${relayOrigin}`]);
    const next = startPhone('--keep');
    await next.until('waiting');
    expect(await interrupt(next.program)).toBe(0);
    expect(next.said.map(({ event }) => event)).not.toContain('unregistered');
    expect(await pushSettings()).toEqual([null]);
  });

  test.each<[string[], string]>([
    [['https://passes.example/p/unknown', '--wait', '5'], '--wait goes with --once.'],
    [['passes.example'], '"passes.example" is not a link.'],
    [['--once', '--wait', 'long'], '--wait must be a number of seconds, not "long".'],
  ])('rejects %j in one sentence', { timeout: SLOW }, async (words, sentence) => {
    expect(await startPhone(...words).ended).toEqual({ code: 1, errors: `${sentence}\n` });
  });

  test('explains what is wrong with a link', { timeout: SLOW }, async () => {
    const { code, errors } = await startPhone(`${local.baseUrl}/p/unknown`).ended;
    expect(code).toBe(1);
    expect(errors).toMatch(/was answered with 404/);
  });
});
