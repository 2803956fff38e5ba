import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServiceRecord } from '../../scripts/service-record.ts';
import { interrupt, LocalService } from '../support/local-service.ts';
import { networkAddress, withoutNetwork } from '../support/network-address.ts';

/*
 * With HOST=0.0.0.0, other machines on the network reach the service and nothing else. This machine's own network
 * address stands in for them, because connections to it aren't loopback.
 */

const SLOW = 180_000;

describe.skipIf(!networkAddress)(`a service that is open to its network${withoutNetwork}`, () => {
  let local: LocalService;
  let record: ServiceRecord;
  let service: Awaited<ReturnType<LocalService['start']>>['service'];
  beforeAll(async () => {
    local = await LocalService.prepare({ HOST: '0.0.0.0' });
    await local.migrateAhead();
    ({ service } = await local.start());
    ({ record } = local);
  }, SLOW);
  afterAll(async () => {
    if (service) await interrupt(service);
    local.remove();
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
