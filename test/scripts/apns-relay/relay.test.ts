import { generateKeyPairSync } from 'node:crypto';
import { get } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readCredentials, topicCertificate } from '../../../scripts/apns-relay/credentials.ts';
import { type RelayOptions, type RunningRelay, startRelay } from '../../../scripts/apns-relay/relay.ts';
import { createDevelopmentAuthority, type DevelopmentAuthority } from '../../../scripts/development-ca.ts';
import { TOKEN_SECONDS } from '../../../src/wallets/apple/apns/direct-transport.ts';
import type { PushOutcome } from '../../../src/wallets/apple/apns/push-sender.ts';
import { relayTransport } from '../../../src/wallets/apple/apns/relay-transport.ts';
import { ApnsStandIn, type ArrivedPush, type StandInOptions } from '../../support/apns-stand-in.ts';

const TOPIC = 'pass.com.example.tickets';
const BEARER = 'a-bearer-token-of-the-tests';
const SENT = { outcome: 'sent' };
/** Long enough for a busy machine to answer, short enough to wait for. */
const APNS_TIMEOUT_MS = 1_500;

let authority: DevelopmentAuthority;
let stranger: DevelopmentAuthority;
beforeAll(async () => {
  const facts = { passTypeId: TOPIC, teamId: 'TEAM012345', organizationName: 'Example', keyType: 'ec' } as const;
  [authority, stranger] = await Promise.all([createDevelopmentAuthority(facts), createDevelopmentAuthority(facts)]);
});

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function standIn(options: StandInOptions = {}): Promise<ApnsStandIn> {
  const opened = await ApnsStandIn.open({ clientRootPem: authority.rootPem, ...options });
  open.push(opened);
  return opened;
}

async function relayTo(
  apns: { origin: string; rootPem: string },
  options: Partial<RelayOptions> = {},
): Promise<RunningRelay> {
  const relay = await startRelay({
    host: '127.0.0.1',
    port: 0,
    token: BEARER,
    credentials: { certificates: [topicCertificate(authority, 'the test certificate')] },
    apnsOrigin: apns.origin,
    apnsCaPem: apns.rootPem,
    apnsTimeoutMs: APNS_TIMEOUT_MS,
    ...options,
  });
  open.push(relay);
  return relay;
}

/** Pushes like the service, using the Worker's own transport. */
const pushBy = (relay: RunningRelay, tokens: string[], topic = TOPIC): Promise<PushOutcome[]> =>
  relayTransport({ url: relay.origin, token: async () => BEARER }, { allowLocal: true }).push(topic, tokens);

const hex = (number: number) => number.toString(16).padStart(64, '0');
const tokens = (count: number) => Array.from({ length: count }, (_, i) => hex(i));

const post = (relay: RunningRelay, body: string, headers: Record<string, string> = {}) =>
  fetch(`${relay.origin}/v1/pushes`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${BEARER}`, ...headers },
  });

describe('a push through the relay', () => {
  test('arrives over HTTP/2 with the client certificate, in Apple’s format for passes', async () => {
    const apns = await standIn();
    const relay = await relayTo(apns);
    expect(await pushBy(relay, [hex(7)])).toEqual([SENT]);
    const [push] = await apns.received();
    expect(push).toMatchObject({ token: hex(7), topic: TOPIC, body: '{}', certificateFor: TOPIC });
    expect(push!.headers).toMatchObject({
      ':method': 'POST',
      ':path': `/3/device/${hex(7)}`,
      'apns-push-type': 'background',
      'apns-priority': '5',
    });
    expect(push!.headers.authorization).toBeUndefined();
  });

  test('keeps the connection, keeps the order, and opens no more streams than the other side allows', async () => {
    const gone = new Set([hex(3), hex(11)]);
    const apns = await standIn({
      streamsMax: 4,
      answer: ({ token }) => (gone.has(token) ? { status: 410, reason: 'Unregistered' } : undefined),
    });
    const relay = await relayTo(apns);
    await pushBy(relay, [hex(99)]);
    const outcomes = await pushBy(relay, tokens(60));
    expect(outcomes).toEqual(tokens(60).map((token) => (gone.has(token) ? { outcome: 'gone' } : SENT)));
    expect(apns.connections).toBe(1);
    expect(apns.streamsSeen).toBeGreaterThan(1);
    expect(apns.streamsSeen).toBeLessThanOrEqual(4);
  });

  test('handles several requests for more than one can contain', async () => {
    const apns = await standIn();
    const lines: Record<string, unknown>[] = [];
    // A busy machine may need a while for so many.
    const relay = await relayTo(apns, { apnsTimeoutMs: 30_000, log: (fields) => lines.push(fields) });
    const outcomes = await pushBy(relay, tokens(1_100));
    expect(outcomes).toEqual(tokens(1_100).map(() => SENT));
    expect(new Set(apns.pushes.map(({ token }) => token)).size).toBe(1_100);
    expect(lines.map(({ sent }) => sent)).toEqual([500, 500, 100]);
    expect(JSON.stringify(lines)).not.toContain(hex(1));
  });

  test.each<[ReturnType<NonNullable<StandInOptions['answer']>>, PushOutcome]>([
    [{ status: 410, reason: 'Unregistered', timestamp: 1 }, { outcome: 'gone' }],
    [{ status: 410, reason: 'ExpiredToken' }, { outcome: 'gone' }],
    [{ status: 400, reason: 'BadDeviceToken' }, { outcome: 'gone' }],
    [{ status: 400, reason: 'DeviceTokenNotForTopic' }, { outcome: 'gone' }],
    [
      { status: 400, reason: 'BadTopic' },
      { outcome: 'refused', reason: "Apple's push service answered 400 BadTopic" },
    ],
    [
      { status: 403, reason: 'BadCertificate' },
      { outcome: 'refused', reason: "Apple's push service answered 403 BadCertificate" },
    ],
    [
      { status: 429, reason: 'TooManyRequests', retryAfter: '17' },
      { outcome: 'retry', afterSeconds: 17, reason: "Apple's push service answered 429 TooManyRequests" },
    ],
    [{ status: 500 }, { outcome: 'retry', reason: "Apple's push service answered 500" }],
    [
      { status: 503, reason: 'ServiceUnavailable' },
      { outcome: 'retry', reason: "Apple's push service answered 503 ServiceUnavailable" },
    ],
  ])('that is answered with %o has the outcome %o', async (answer, outcome) => {
    const relay = await relayTo(await standIn({ answer: () => answer }));
    expect(await pushBy(relay, [hex(1)])).toEqual([outcome]);
  });

  test('to a pass type without a certificate in the relay is rejected', async () => {
    const apns = await standIn();
    const relay = await relayTo(apns);
    const reason = 'The relay has no certificate for pass.com.example.other';
    expect(await pushBy(relay, [hex(1)], 'pass.com.example.other')).toEqual([{ outcome: 'refused', reason }]);
    expect(apns.pushes).toEqual([]);
  });
});

describe('a connection to Apple', () => {
  test('that is ended by GOAWAY is reopened, and no push is lost', async () => {
    const apns = await standIn();
    const relay = await relayTo(apns);
    await pushBy(relay, [hex(1)]);
    apns.goAway();
    expect(await pushBy(relay, tokens(20))).toEqual(tokens(20).map(() => SENT));
    expect(apns.connections).toBe(2);
  });

  test('that is ended during pushes has them resent on the next one', async () => {
    let ended = false;
    const apns: ApnsStandIn = await standIn({
      answer: () => {
        if (!ended) queueMicrotask(() => apns.cut());
        ended = true;
        return apns.connections < 2 ? 'hang' : undefined;
      },
    });
    const relay = await relayTo(apns, { apnsTimeoutMs: 5_000 });
    expect(await pushBy(relay, tokens(20))).toEqual(tokens(20).map(() => SENT));
    expect(apns.connections).toBe(2);
  });

  test('that rejects streams is given up after three attempts', async () => {
    const apns = await standIn({ answer: () => 'reset' });
    const relay = await relayTo(apns);
    const [outcome] = await pushBy(relay, [hex(1)]);
    expect(outcome).toMatchObject({ outcome: 'retry', reason: expect.stringContaining("Apple's push service: ") });
    expect(apns.pushes).toHaveLength(3);
  });

  test('that does not answer results in a retry, and the next push uses another', async () => {
    let silent = true;
    const apns = await standIn({ answer: () => (silent ? 'hang' : undefined) });
    const relay = await relayTo(apns);
    expect(await pushBy(relay, [hex(1)])).toEqual([
      { outcome: 'retry', reason: "Apple's push service: no answer within 1.5 s" },
    ]);
    silent = false;
    expect(await pushBy(relay, [hex(1)])).toEqual([SENT]);
    expect(apns.connections).toBe(2);
  });

  test('that does not answer one push does not delay the others', async () => {
    const apns = await standIn({ answer: ({ token }) => (token === hex(0) ? 'hang' : undefined) });
    const outcomes = await pushBy(await relayTo(apns), tokens(30));
    expect(outcomes[0]).toMatchObject({ outcome: 'retry' });
    expect(outcomes.slice(1)).toEqual(tokens(29).map(() => SENT));
  });

  test('that died unnoticed is detected by a ping before the next push', async () => {
    const apns = await standIn();
    const wire = await wireTo(apns.port);
    const relay = await relayTo({ origin: wire.origin, rootPem: apns.rootPem }, { apnsPingEveryMs: 600 });
    expect(await pushBy(relay, [hex(1)])).toEqual([SENT]);
    wire.freeze();
    await wire.closedByRelay;
    expect(await pushBy(relay, [hex(2)])).toEqual([SENT]);
    expect(apns.connections).toBeGreaterThan(1);
  });

  test('cannot be made without a certificate known to the other side', async () => {
    const apns = await standIn();
    const relay = await relayTo(apns, {
      credentials: { certificates: [topicCertificate(stranger, 'a certificate of a stranger')] },
    });
    const [outcome] = await pushBy(relay, [hex(1)]);
    expect(outcome!.outcome).not.toBe('sent');
    expect(apns.pushes).toEqual([]);
  });

  test('that the other side rejects without a certificate fails with a clear message for operators', async () => {
    const { keyId, teamId, privateKeyPem } = newProviderKey();
    const apns = await standIn();
    const relay = await relayTo(apns, {
      credentials: { certificates: [], providerKey: { keyId, teamId, privateKeyPem } },
    });
    expect(await pushBy(relay, [hex(1)])).toEqual([
      {
        outcome: 'refused',
        reason: expect.stringMatching(/^Apple's push service rejects the certificate \(ERR_SSL_.*CERTIFICATE/),
      },
    ]);
  });

  test('is made only to Apple: another certificate authority is not trusted', async () => {
    const apns = await standIn();
    const relay = await relayTo({ origin: apns.origin, rootPem: stranger.rootPem });
    expect(await pushBy(relay, [hex(1)])).toMatchObject([{ outcome: 'retry' }]);
    expect(apns.pushes).toEqual([]);
  });

  test('that fails is not retried at once', async () => {
    const apns = await standIn();
    const { origin, rootPem } = apns;
    await apns.close();
    open.length = 0;
    const relay = await relayTo({ origin, rootPem });
    const [first] = await pushBy(relay, [hex(1)]);
    expect(first).toMatchObject({ outcome: 'retry', afterSeconds: 1, reason: expect.stringContaining('ECONNREFUSED') });
    const [second] = await pushBy(relay, [hex(1)]);
    expect(second).toMatchObject({
      outcome: 'retry',
      afterSeconds: 1,
      reason: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

/**
 * Opens a proxy to a port that can be frozen: existing connections stay open, but deliver nothing; new connections
 * work.
 */
async function wireTo(port: number) {
  const carried: [Socket, Socket][] = [];
  let closed = () => {};
  const closedByRelay = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    carried.push([near, far]);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    async close() {
      for (const socket of carried.flat()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    closedByRelay,
    freeze() {
      for (const [near, far] of carried) {
        near.unpipe(far);
        far.unpipe(near);
        // Discards what it reads, but still notices the end.
        near.resume();
        near.on('close', closed);
      }
    },
  };
}

function newProviderKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    keyId: 'ABC123DEFG',
    teamId: 'TEAM012345',
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

describe('a relay with a provider key', () => {
  test('sends one token for all pass types, and no other one on the same connection', async () => {
    const providerKey = newProviderKey();
    const apns = await standIn({ clientRootPem: undefined, providerKey });
    const relay = await relayTo(apns, { credentials: { certificates: [], providerKey } });
    const topics = [TOPIC, 'pass.com.example.other'];
    expect(await Promise.all(topics.map((topic) => pushBy(relay, tokens(5), topic)))).toEqual(
      topics.map(() => tokens(5).map(() => SENT)),
    );
    const shown = new Set(apns.pushes.map(({ headers }: ArrivedPush) => headers.authorization));
    expect([...shown]).toEqual([expect.stringMatching(/^bearer [\w-]+\.[\w-]+\.[\w-]+$/)]);
    expect(apns.connections).toBe(1);
    const [, claims] = [...shown][0]!.split('.');
    const { iat } = JSON.parse(Buffer.from(claims!, 'base64url').toString());
    expect(iat % TOKEN_SECONDS).toBe(0);
  });

  test('that Apple does not know is rejected', async () => {
    const apns = await standIn({ clientRootPem: undefined, providerKey: newProviderKey() });
    const relay = await relayTo(apns, { credentials: { certificates: [], providerKey: newProviderKey() } });
    expect(await pushBy(relay, [hex(1)])).toEqual([
      { outcome: 'refused', reason: "Apple's push service answered 403 InvalidProviderToken" },
    ]);
  });
});

describe('the relay', () => {
  test.each(['', 'Bearer wrong', `Bearer ${BEARER}x`, `Basic ${BEARER}`])(
    'rejects callers with "%s"',
    async (authorization) => {
      const apns = await standIn();
      const relay = await relayTo(apns);
      const reply = await post(relay, JSON.stringify({ topic: TOPIC, tokens: [hex(1)] }), { authorization });
      expect([reply.status, await reply.json()]).toEqual([401, { error: 'The token is missing or wrong' }]);
      expect(apns.connections).toBe(0);
      const transport = relayTransport({ url: relay.origin, token: async () => 'another' }, { allowLocal: true });
      expect(await transport.push(TOPIC, [hex(1)])).toEqual([{ outcome: 'refused', reason: 'The relay answered 401' }]);
    },
  );

  test.each([
    ['{', 400, 'The body is not JSON'],
    ['{}', 400, 'topic: is required; tokens: is required'],
    [JSON.stringify({ topic: TOPIC, tokens: [] }), 400, 'tokens: '],
    [JSON.stringify({ topic: TOPIC, tokens: ['../../other'] }), 400, 'tokens.0: is not a push token'],
    [JSON.stringify({ topic: 'a topic', tokens: ['a'] }), 400, 'topic: is not a pass type identifier'],
    [JSON.stringify({ topic: TOPIC, tokens: tokens(501) }), 400, 'tokens: '],
    ['x'.repeat(300_000), 413, 'The body is larger than'],
  ])('rejects %.40s with %i', async (body, status, message) => {
    const relay = await relayTo({ origin: 'https://127.0.0.1:1', rootPem: authority.rootPem });
    const reply = await post(relay, body);
    expect(reply.status).toBe(status);
    expect(((await reply.json()) as { error: string }).error).toContain(message);
  });

  test('handles a hundred requests at a time, and asks further callers to retry', async () => {
    let release = () => {};
    const released = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    const apns = await standIn({ answer: () => released });
    const relay = await relayTo(apns, { apnsTimeoutMs: 10_000 });
    const waiting = Promise.all(Array.from({ length: 100 }, () => pushBy(relay, [hex(1)])));
    await apns.received(100);
    const busy = { outcome: 'retry', afterSeconds: 2, reason: 'The relay answered 429' };
    expect(await pushBy(relay, [hex(2)])).toEqual([busy]);
    release();
    expect((await waiting).flat()).toEqual(Array.from({ length: 100 }, () => SENT));
    expect(await pushBy(relay, [hex(2)])).toEqual([SENT]);
  });

  test('speaks HTTPS with its own certificate', async () => {
    const apns = await standIn();
    const { certificatePem: cert, privateKeyPem: key } = authority;
    const relay = await relayTo(apns, { tls: { cert, key } });
    expect(relay.origin).toMatch(/^https:/);
    const status = await new Promise((resolve, reject) => {
      const trusting = { ca: authority.rootPem, rejectUnauthorized: false };
      get(`${relay.origin}/health`, trusting, (reply) => resolve(reply.resume().statusCode)).on('error', reject);
    });
    expect(status).toBe(200);
    await expect(fetch(relay.origin.replace('https', 'http'))).rejects.toThrow();
  });

  test('reports that it runs, and to its callers what it can push to', async () => {
    const relay = await relayTo({ origin: 'https://127.0.0.1:1', rootPem: authority.rootPem });
    const health = async (headers = {}) => (await fetch(`${relay.origin}/health`, { headers })).json();
    expect(await health()).toEqual({ status: 'ok' });
    expect(await health({ authorization: `Bearer ${BEARER}` })).toEqual({
      status: 'ok',
      topics: [{ topic: TOPIC, validTo: expect.stringMatching(/^\d{4}-.*Z$/) }],
      providerKey: null,
      requests: 0,
    });
    expect((await fetch(`${relay.origin}/other`)).status).toBe(404);
    expect((await fetch(`${relay.origin}/v1/pushes`)).status).toBe(405);
  });

  test('answers requests received before it ends, and accepts no new ones', async () => {
    const apns = await standIn({ answer: ({ token }) => (token === hex(0) ? 'hang' : undefined) });
    const relay = await relayTo(apns);
    const pushed = pushBy(relay, [hex(0), hex(1)]);
    await apns.received(2);
    const closed = relay.close();
    expect(await pushed).toMatchObject([{ outcome: 'retry' }, SENT]);
    await closed;
    const { port } = new URL(relay.origin);
    const socket = connect(Number(port), '127.0.0.1');
    await expect(
      new Promise((resolve, reject) => {
        socket.on('connect', resolve);
        socket.on('error', reject);
      }),
    ).rejects.toThrow('ECONNREFUSED');
  });
});

describe('readCredentials', () => {
  test.each([
    [{}, 'Give the pass certificate with --p12 F'],
    [{ cert: ['a.pem'] }, 'Each --cert F needs a --key F.'],
    [{ p8: 'key.p8' }, '--p8 needs --key-id and --team-id.'],
    [{ 'key-id': 'ABC123DEFG' }, '--key-id and --team-id need --p8.'],
  ])('rejects %o', (options, sentence) => {
    expect(() => readCredentials(options)).toThrow(sentence);
  });

  test('rejects a certificate that has expired, or is not for a pass type', () => {
    expect(() => topicCertificate(authority, 'old.pem', Date.now() + 400 * 24 * 60 * 60_000)).toThrow(
      'old.pem expired on',
    );
    const { rootPem: certificatePem, privateKeyPem } = authority;
    expect(() => topicCertificate({ certificatePem, privateKeyPem }, 'root.pem')).toThrow(
      'root.pem is not a pass certificate',
    );
  });
});
