import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Front, startFront } from '../../scripts/front.ts';
import { freePort } from '../support/free-port.ts';
import { networkAddress, withoutNetwork } from '../support/network-address.ts';

/** A request that the runtime behind the proxy received. */
interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

let runtime: Server;
const runtimeOrigin = () => `http://127.0.0.1:${(runtime.address() as AddressInfo).port}`;
let front: Front;
let port: number;
let seen: Seen[] = [];
let closed: Promise<unknown>;
beforeAll(async () => {
  runtime = createServer(async (asked, reply) => {
    closed = once(reply, 'close');
    if (asked.url === '/never') return reply.writeHead(200).write('first');
    if (asked.url === '/early') return reply.writeHead(413, { Connection: 'close' }).end('too large');
    const { method = '', url = '', headers } = asked;
    seen.push({ method, url, headers, body: await text(asked) });
    reply.writeHead(201, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Seen', url]).end('answered');
  });
  runtime.listen(0, '127.0.0.1');
  await once(runtime, 'listening');
  port = await freePort();
  front = await startFront('0.0.0.0', port, runtimeOrigin);
});
afterEach(() => {
  seen = [];
});
afterAll(async () => {
  await front.close();
  runtime.closeAllConnections();
  runtime.close();
});

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
  host?: string;
}

/** Sends a request unchanged: `fetch` would normalize its path and drop headers. */
async function ask({ host = '127.0.0.1', body, ...options }: Sent = {}) {
  const sent = request({ host, port, path: '/', agent: false, ...options });
  sent.end(body);
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: reply.statusCode, headers: reply.headers, body: await text(reply) };
}

/** Sends a raw request that no client would send. Returns everything until the connection ends. */
async function askRaw(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return (await buffer(socket)).toString();
}

describe('a request for the Worker', () => {
  test('passes unchanged in both directions', async () => {
    const reply = await ask({
      method: 'POST',
      path: '/api/pass?a=%2Fb|c',
      headers: { Host: 'passes.test:1234', Authorization: 'key', 'Content-Length': '5' },
      body: 'hello',
    });
    expect(reply).toMatchObject({ status: 201, body: 'answered', headers: { 'set-cookie': ['a=1', 'b=2'] } });
    const headers = { host: 'passes.test:1234', authorization: 'key', 'content-length': '5' };
    expect(seen).toMatchObject([{ method: 'POST', url: '/api/pass?a=%2Fb|c', body: 'hello', headers }]);
  });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('keeps a %s without a body', async (method) => {
    await ask({ method });
    expect(seen[0]).toMatchObject({ method, body: '' });
    expect(seen[0]!.headers).not.toHaveProperty('transfer-encoding');
  });

  test('keeps a body without a length, even of a DELETE', async () => {
    const bytes =
      'DELETE /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n';
    expect(await askRaw(bytes)).toMatch(/^HTTP\/1\.1 201 /);
    expect(seen).toMatchObject([{ method: 'DELETE', body: 'hi' }]);
  });

  test('streams, and ends with its caller', async () => {
    const sent = request({ host: '127.0.0.1', port, path: '/never', agent: false }).end();
    const [reply] = (await once(sent, 'response')) as [IncomingMessage];
    expect(String((await once(reply, 'data'))[0])).toBe('first');
    sent.destroy();
    await closed;
  });

  test('may be answered before it has been read', async () => {
    const headers = { 'Content-Length': String(2 ** 20) };
    const sent = request({ host: '127.0.0.1', port, method: 'POST', path: '/early', agent: false, headers });
    sent.on('error', () => {});
    sent.write('x'.repeat(100_000));
    const [reply] = (await once(sent, 'response')) as [IncomingMessage];
    expect([reply.statusCode, await text(reply)]).toEqual([413, 'too large']);
    sent.destroy();
  });

  test('ends after an early answer, although the runtime reads no further', async () => {
    const runtime = createTcpServer((socket) => {
      socket.once('data', () => {
        socket.pause().write('HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\ntoo large');
      });
    });
    await once(runtime.listen(0, '127.0.0.1'), 'listening');
    const own = await freePort();
    const other = await startFront(
      '127.0.0.1',
      own,
      () => `http://127.0.0.1:${(runtime.address() as AddressInfo).port}`,
    );
    const agent = new Agent({ keepAlive: true });
    const sent = request({ host: '127.0.0.1', port: own, method: 'POST', agent });
    const sentAll = once(sent, 'finish');
    sent.end(Buffer.alloc(12_000_000));
    const [[reply]] = (await Promise.all([once(sent, 'response'), sentAll])) as [[IncomingMessage], unknown];
    expect([reply.statusCode, await text(reply)]).toEqual([413, 'too large']);
    agent.destroy();
    await other.close();
    runtime.close();
  });
});

describe('the caller', () => {
  test('is identified by the connection, whatever the request says', async () => {
    await ask({ headers: { 'CF-Connecting-IP': '192.0.2.1', 'cf-ray': 'x' } });
    expect(seen[0]!.headers).toMatchObject({ 'cf-connecting-ip': '127.0.0.1' });
    // It came through a proxy for remote callers, so it isn't from this machine.
    expect(seen[0]!.headers).toMatchObject({ 'x-forwarded-for': '192.0.2.1' });
    expect(seen[0]!.headers).not.toHaveProperty('cf-ray');
  });

  test.skipIf(!networkAddress)(`is distinguished from this machine by its address${withoutNetwork}`, async () => {
    const headers = { Host: 'localhost', 'CF-Connecting-IP': '127.0.0.1' };
    await ask({ host: networkAddress!, headers });
    expect(seen[0]!.headers).toMatchObject({ host: 'localhost', 'cf-connecting-ip': networkAddress });
  });

  test('cannot control wrangler through headers', async () => {
    const names = ['MF-Original-URL', 'mf-route-override', 'MF-CF-Blob', 'MF-Op', 'MF-Custom-Fetch-Service'];
    await ask({ headers: Object.fromEntries(names.map((name) => [name, 'http://localhost/dev/outbox'])) });
    expect(Object.keys(seen[0]!.headers).filter((name) => name.startsWith('mf-'))).toEqual([]);
  });
});

describe('what wrangler adds', () => {
  test.each([
    '/cdn-cgi/explorer',
    '/cdn-cgi/local/scheduled?cron=*',
    '/cdn-cgi',
    '/CDN-CGI/explorer',
    '/x/../cdn-cgi/explorer',
    '/x/%2e%2e/cdn-cgi/explorer',
    '/./cdn-cgi/explorer',
    '/\\../cdn-cgi/explorer',
    '/%09/../cdn-cgi/explorer',
    '/__cf_local/imagedelivery/x',
  ])('is not reachable: %s', async (path) => {
    expect(await ask({ path, headers: { Host: 'localhost' } })).toMatchObject({ status: 404 });
    expect(seen).toEqual([]);
  });

  test.each(['http://localhost/cdn-cgi/explorer', '*', 'cdn-cgi/explorer'])(
    'is not reached by the target %s',
    async (target) => {
      const reply = await askRaw(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect(reply).toMatch(/^HTTP\/1\.1 400 /);
      expect(seen).toEqual([]);
    },
  );

  test('does not affect similar paths', async () => {
    expect((await ask({ path: '//cdn-cgi/x' })).headers['x-seen']).toBe('//cdn-cgi/x');
    expect((await ask({ path: '/p/cdn-cgi/x' })).status).toBe(201);
  });
});

describe('the proxy', () => {
  test('answers 503 while the runtime does not listen', async () => {
    const [own, nowhere] = [await freePort(), await freePort()];
    for (const origin of [undefined, `http://127.0.0.1:${nowhere}`]) {
      const waiting = await startFront('127.0.0.1', own, () => origin);
      const reply = await fetch(`http://127.0.0.1:${own}/health`);
      expect([reply.status, await reply.text()]).toEqual([503, 'The service is starting; try again in a moment.\n']);
      await waiting.close();
    }
  });

  test.skipIf(!networkAddress)(`listens on the loopback address, too${withoutNetwork}`, async () => {
    const own = await freePort();
    const both = await startFront(networkAddress!, own, runtimeOrigin);
    for (const host of [networkAddress, '127.0.0.1']) {
      expect((await fetch(`http://${host}:${own}/`)).status, host).toBe(201);
    }
    await both.close();
  });

  test.each(['127.0.0.1', '0.0.0.0'])('names a port that a program on %s uses, and the solution', async (host) => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const { port: taken } = server.address() as AddressInfo;
    await expect(startFront('127.0.0.1', taken, runtimeOrigin)).rejects.toThrow(
      `Port ${taken} is taken by another program: stop it, or choose another port, for example PORT=${taken + 1} npm start.`,
    );
    server.close();
  });

  test.each([
    ['192.0.2.1', 'EADDRNOTAVAIL'],
    ['no-such-host.invalid', '[A-Z_]+'],
  ])('names the address %s, which this machine does not have', async (host, code) => {
    const own = await freePort();
    const message = new RegExp(
      `^Cannot listen on ${host}, port ${own} \\(${code}\\): choose another address with HOST.$`,
    );
    await expect(startFront(host, own, runtimeOrigin)).rejects.toThrow(message);
  });
});
