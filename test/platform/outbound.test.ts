import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { areLocalTargetsAllowed, checkOutboundUrl, fetchOutbound } from '../../src/platform/outbound.ts';
import { TimeLimit } from '../../src/platform/time-limit.ts';

describe('a URL that a caller gives', () => {
  test.each([
    'https://example.com',
    'https://example.com/hook?a=b#c',
    'https://EXAMPLE.com:443/',
    'https://example.com:8443/hook',
    'https://bücher.example.com/',
    'https://my-local.example.com/',
    'https://localhost.example.com/',
    'https://93.184.215.14/',
    'https://172.32.0.1/',
    'https://100.128.0.1/',
    'https://[2606:4700::1111]/',
    'https://[2001:4860:4860::8888]/',
  ])('%s is public', (url) => {
    expect(checkOutboundUrl(url)).toBeUndefined();
  });

  test.each([
    ['no scheme', 'example.com/hook'],
    ['no host', 'https://'],
    ['http', 'http://example.com/'],
    ['another scheme', 'ftp://example.com/'],
    ['a script', 'javascript:alert(1)'],
    ['a file', 'file:///etc/passwd'],
    ['a user', 'https://user@example.com/'],
    ['a password', 'https://user:secret@example.com/'],
    ['a host hidden behind credentials', 'https://example.com:443@127.0.0.1/'],
    ['a mail port', 'https://example.com:25/'],
    ['a shell port', 'https://example.com:22/'],
    ['port 0', 'https://example.com:0/'],
    ['a port beyond 65535', 'https://example.com:65536/'],
    ['a zone identifier', 'https://[fe80::1%25eth0]/'],
    ['2,049 characters', `https://example.com/${'a'.repeat(2_049 - 20)}`],
  ])('%s is not valid: %s', (_, url) => {
    expect(checkOutboundUrl(url)?.kind).toBe('invalid_url');
  });

  test('may have 2,048 characters', () => {
    expect(checkOutboundUrl(`https://example.com/${'a'.repeat(2_048 - 20)}`)).toBeUndefined();
  });

  test.each([
    ['loopback', 'https://127.0.0.1/'],
    ['loopback, other end', 'https://127.255.255.254/'],
    ['decimal', 'https://2130706433/'],
    ['hexadecimal', 'https://0x7f000001/'],
    ['octal', 'https://0177.0.0.1/'],
    ['short', 'https://127.1/'],
    ['mixed', 'https://0x7f.1/'],
    ['percent-encoded', 'https://%31%32%37.0.0.1/'],
    ['full-width digits', 'https://１２７.０.０.１/'],
    ['ideographic full stops', 'https://127。0。0。1/'],
    ['a trailing dot', 'https://127.0.0.1./'],
    ['this network', 'https://0.0.0.0/'],
    ['private, 10/8', 'https://10.1.2.3/'],
    ['private, 172.16/12', 'https://172.31.255.255/'],
    ['private, 192.168/16', 'https://192.168.1.1/'],
    ['carrier-grade NAT', 'https://100.64.0.1/'],
    ['link-local, cloud metadata', 'https://169.254.169.254/latest/meta-data'],
    ['benchmarking', 'https://198.19.0.1/'],
    ['documentation', 'https://203.0.113.7/'],
    ['multicast', 'https://224.0.0.1/'],
    ['reserved', 'https://240.0.0.1/'],
    ['broadcast', 'https://255.255.255.255/'],
    ['IPv6 unspecified', 'https://[::]/'],
    ['IPv6 loopback', 'https://[::1]/'],
    ['IPv6 loopback, written out', 'https://[0:0:0:0:0:0:0:1]/'],
    ['IPv4-mapped', 'https://[::ffff:127.0.0.1]/'],
    ['IPv4-mapped in hexadecimal', 'https://[::ffff:7f00:1]/'],
    ['IPv4-compatible', 'https://[::127.0.0.1]/'],
    ['NAT64', 'https://[64:ff9b::7f00:1]/'],
    ['local NAT64', 'https://[64:ff9b:1::1]/'],
    ['Teredo', 'https://[2001::1]/'],
    ['6to4', 'https://[2002:7f00:1::]/'],
    ['IPv6 documentation', 'https://[2001:db8::1]/'],
    ['IPv6 documentation, newer', 'https://[3fff:0:1::1]/'],
    ['unique local', 'https://[fd00::1]/'],
    ['IPv6 link-local', 'https://[fe80::1]/'],
    ['IPv6 site-local', 'https://[fec0::1]/'],
    ['IPv6 multicast', 'https://[ff02::1]/'],
    ['localhost', 'https://localhost/'],
    ['localhost in capitals', 'https://LOCALHOST/'],
    ['localhost with a dot', 'https://localhost./'],
    ['localhost in circled letters', 'https://ⓛocalhost/'],
    ['below localhost', 'https://api.localhost/'],
    ['multicast DNS', 'https://printer.local/'],
    ['internal', 'https://metadata.google.internal/'],
    ['internal with a dot', 'https://metadata.google.internal./'],
    ['a home network', 'https://router.home.arpa/'],
    ['a name without a dot', 'https://intranet/'],
  ])('%s is private: %s', (_, url) => {
    expect(checkOutboundUrl(url)?.kind).toBe('private_address');
  });

  test('may be local and http if local targets are allowed, but nothing else changes', () => {
    const local = { allowLocal: true };
    expect(checkOutboundUrl('http://localhost:8080/hook', local)).toBeUndefined();
    expect(checkOutboundUrl('http://[::1]:8080/hook', local)).toBeUndefined();
    expect(checkOutboundUrl('http://user@localhost/', local)?.kind).toBe('invalid_url');
    expect(checkOutboundUrl('http://localhost:25/', local)?.kind).toBe('invalid_url');
    expect(checkOutboundUrl('ftp://localhost/', local)?.kind).toBe('invalid_url');
  });

  test('may be local only in a local run that enables it', () => {
    expect(areLocalTargetsAllowed({ ADMIN_TOKEN: 'x', ALLOW_LOCAL_TARGETS: 'true' })).toBe(true);
    expect(areLocalTargetsAllowed({ ALLOW_LOCAL_TARGETS: 'true' })).toBe(false);
    expect(areLocalTargetsAllowed({ ADMIN_TOKEN: 'x' })).toBe(false);
    expect(areLocalTargetsAllowed({ ADMIN_TOKEN: 'x', ALLOW_LOCAL_TARGETS: 'false' })).toBe(false);
  });
});

const BODY_BYTES = 100_000;
const BOMB = gzipSync(Buffer.alloc(20_000_000));
const replies: Record<string, RequestListener> = {
  '/ok': (_, reply) => reply.end('hello'),
  '/echo': (request, reply) => {
    reply.setHeader('x-method', `${request.method} ${request.headers['x-test']}`);
    request.pipe(reply);
  },
  '/missing': (_, reply) => reply.writeHead(404).end('no'),
  '/exact': (_, reply) => reply.end(Buffer.alloc(BODY_BYTES)),
  '/over': (_, reply) => reply.writeHead(201).end(Buffer.alloc(BODY_BYTES + 1)),
  '/endless': (_, reply) => {
    const fill = () => {
      while (!reply.destroyed && reply.write(Buffer.alloc(65_536)));
      reply.once('drain', fill);
    };
    fill();
  },
  '/bomb': (_, reply) => reply.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
  '/declared-bomb': (_, reply) =>
    reply.writeHead(200, { 'content-encoding': 'gzip', 'content-length': BOMB.length }).end(BOMB),
  '/silent': () => undefined,
  '/stuck': (_, reply) => reply.write('a'),
  '/not-modified': (_, reply) => reply.writeHead(304).end(),
  '/blocked': (_, reply) => reply.writeHead(530).end('error code: 1002'),
  '/unresolved': (_, reply) => reply.writeHead(530).end('error code: 1016'),
};
for (const status of [301, 302, 303, 307, 308]) {
  replies[`/redirect/${status}`] = (_, reply) => reply.writeHead(status, { location: '/ok' }).end('elsewhere');
}

describe('a request', () => {
  let server: Server;
  let origin: string;
  const asked: string[] = [];
  const local = (path: string, options = {}) =>
    fetchOutbound(origin + path, { allowLocal: true, bytesMax: BODY_BYTES, ...options });

  beforeAll(async () => {
    server = createServer((request, reply) => {
      asked.push(request.url!);
      replies[request.url!]!(request, reply);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test('returns status, headers and bytes', async () => {
    const outcome = await local('/echo', { method: 'POST', headers: { 'x-test': 'yes' }, body: 'ping' });
    if (outcome.kind !== 'ok') throw new Error(outcome.kind);
    expect(outcome.status).toBe(200);
    expect(outcome.headers.get('x-method')).toBe('POST yes');
    expect(new TextDecoder().decode(outcome.body)).toBe('ping');
  });

  test.each([
    ['/missing', 404],
    ['/not-modified', 304],
  ])('to %s succeeds with any status', async (path, status) => {
    expect(await local(path)).toMatchObject({ kind: 'ok', status });
  });

  test.each([301, 302, 303, 307, 308])('does not follow a redirect with status %i', async (status) => {
    asked.length = 0;
    expect(await local(`/redirect/${status}`)).toEqual({ kind: 'redirect', status, location: '/ok' });
    expect(asked).toEqual([`/redirect/${status}`]);
  });

  test('accepts a body of exactly the limit', async () => {
    const outcome = await local('/exact');
    expect(outcome.kind === 'ok' && outcome.body.length).toBe(BODY_BYTES);
  });

  test.each([
    ['/over', 201],
    ['/endless', 200],
    ['/bomb', 200],
    ['/declared-bomb', 200],
  ])('stops reading %s at the limit and keeps what it has', async (path, status) => {
    const outcome = await local(path);
    expect(outcome).toMatchObject({ kind: 'too_large', status });
    expect(outcome.kind === 'too_large' && outcome.body.length).toBe(BODY_BYTES);
  });

  test.each([
    ['/silent', {}],
    ['/stuck', { status: 200 }],
  ])('times out for %s, and reports whether an answer had begun', async (path, begun) => {
    expect(await local(path, { timeoutMs: 1_500 })).toEqual({
      kind: 'timeout',
      message: 'the server did not answer within 1.5 s',
      ...begun,
    });
  });

  test('ends at the timeout even if the transport does not', async () => {
    const outcome = await fetchOutbound('https://example.com/', { timeoutMs: 20, fetch: () => new Promise(() => {}) });
    expect(outcome.kind).toBe('timeout');
  });

  test('shares the timeout of a limit with others', async () => {
    const limit = new TimeLimit(20);
    const never = () => fetchOutbound('https://example.com/', { limit, fetch: () => new Promise(() => {}) });
    const quick = fetchOutbound('https://example.com/', { limit, fetch: async () => new Response('quick') });
    const outcomes = await Promise.all([never(), never(), quick]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['timeout', 'timeout', 'ok']);
    expect(outcomes[0]).toMatchObject({ message: 'the server did not answer within 0.02 s' });
  });

  test('reports that nobody answers', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const outcome = await fetchOutbound(`http://127.0.0.1:${port}/`, { allowLocal: true });
    expect(outcome.kind).toBe('connection_refused');
  });

  test('reports that the server disconnected', async () => {
    const breaking = createServer((_, response) => response.destroy()).listen(0, '127.0.0.1');
    await once(breaking, 'listening');
    const { port } = breaking.address() as AddressInfo;
    const outcome = await fetchOutbound(`http://127.0.0.1:${port}/`, { allowLocal: true });
    breaking.close();
    expect(outcome.kind).toBe('connection_reset');
  });

  test('reports the status of an interrupted answer', async () => {
    const breaking = createServer((_, response) => {
      response.writeHead(202, { 'Content-Length': 10 });
      response.write('half', () => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(breaking, 'listening');
    const { port } = breaking.address() as AddressInfo;
    const outcome = await fetchOutbound(`http://127.0.0.1:${port}/`, { allowLocal: true });
    breaking.close();
    expect(outcome).toMatchObject({ kind: 'connection_reset', status: 202 });
  });

  test.each([
    [new Error('Network connection lost.'), 'connection_reset'],
    [new Error("TLS peer's certificate is not trusted; reason = self-signed certificate"), 'tls_error'],
    [new TypeError('fetch failed', { cause: new Error('self-signed certificate') }), 'tls_error'],
    [new Error('internal error; reference = 1'), 'connection_failed'],
  ])('reports what went wrong: %s', async (error, kind) => {
    const outcome = await fetchOutbound('https://example.com/', { fetch: () => Promise.reject(error) });
    expect(outcome.kind).toBe(kind);
  });

  test.each([
    new Error('DNS lookup failed.'),
    new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND nowhere.example.com') }),
  ])('reports that a name is unknown: %s', async (error) => {
    const outcome = await fetchOutbound('https://nowhere.example.com/', { fetch: () => Promise.reject(error) });
    expect(outcome.kind).toBe('dns_lookup_failed');
  });

  test("reads the platform's own replies", async () => {
    expect((await local('/unresolved')).kind).toBe('dns_lookup_failed');
    expect((await local('/blocked')).kind).toBe('connection_failed');
  });

  test('is not made to a rejected URL', async () => {
    const fetch = vi.fn(() => Promise.resolve(new Response()));
    expect((await fetchOutbound('https://10.0.0.1/', { fetch })).kind).toBe('private_address');
    expect((await fetchOutbound('http://example.com/', { fetch })).kind).toBe('invalid_url');
    expect(fetch).not.toHaveBeenCalled();
  });

  test('is rejected by its own rules, even if another one was allowed to go there', async () => {
    const fetch = vi.fn(() => Promise.resolve(new Response()));
    for (const url of ['http://10.0.0.2/', 'https://10.0.0.2/']) {
      expect((await fetchOutbound(url, { fetch, allowLocal: true })).kind).toBe('ok');
      expect((await fetchOutbound(url, { fetch })).kind).toMatch(/^(invalid_url|private_address)$/);
      expect((await fetchOutbound(url, { fetch, allowLocal: true })).kind).toBe('ok');
    }
    expect(fetch).toHaveBeenCalledTimes(4);
  });

  test('goes to the checked address, however it was spelled', async () => {
    const fetch = vi.fn((_: string) => Promise.resolve(new Response()));
    for (let i = 0; i < 2; i++) await fetchOutbound('https:\\\\example.com\\..\\hook', { fetch });
    expect(fetch.mock.calls.map(([url]) => url)).toEqual(['https://example.com/hook', 'https://example.com/hook']);
  });
});
