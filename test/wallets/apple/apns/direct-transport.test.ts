import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDevelopmentAuthority, type DevelopmentAuthority } from '../../../../scripts/development-ca.ts';
import { GRAIN_MS } from '../../../../src/platform/time-limit.ts';
import { directTransport, type Send } from '../../../../src/wallets/apple/apns/direct-transport.ts';
import { ApnsStandIn } from '../../../support/apns-stand-in.ts';

const TOPIC = 'pass.com.example.tickets';
const hex = (number: number) => number.toString(16).padStart(64, '0');
const SENT = { outcome: 'sent' };

let authority: DevelopmentAuthority;
let apns: ApnsStandIn;
beforeAll(async () => {
  authority = await createDevelopmentAuthority({
    passTypeId: TOPIC,
    teamId: 'TEAM012345',
    organizationName: 'Example',
    keyType: 'ec',
  });
  apns = await ApnsStandIn.open({ clientRootPem: authority.rootPem });
});
afterAll(() => apns.close());
beforeEach(() => {
  apns.answer = undefined;
  apns.pushes.length = 0;
});

let atATime = 0;
let mostAtATime = 0;

/** Acts like an mTLS binding: sends the request unchanged over HTTP/2 with the client certificate. */
const binding: Send = async (url, init) => {
  const { hostname, pathname } = new URL(url);
  expect(hostname).toBe('api.push.apple.com');
  atATime += 1;
  mostAtATime = Math.max(mostAtATime, atATime);
  const session = connect(apns.origin, {
    ca: apns.rootPem,
    cert: `${authority.certificatePem}\n${authority.intermediatePem}`,
    key: authority.privateKeyPem,
  });
  try {
    const request = new Request(url, init);
    const stream = session.request({
      ':method': request.method,
      ':path': pathname,
      ...Object.fromEntries(request.headers),
    });
    stream.end(await request.text());
    const headers = await new Promise<Record<string, string>>((resolve, reject) => {
      stream.on('response', (all) => resolve(all as unknown as Record<string, string>));
      stream.on('error', reject);
      stream.on('close', () => reject(new Error('closed')));
    });
    const { ':status': status, ...others } = headers;
    return new Response((await text(stream)) || null, { status: Number(status), headers: plain(others) });
  } finally {
    session.destroy();
    atATime -= 1;
  }
};

const plain = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')));

describe('a push directly to Apple', () => {
  test('through an mTLS binding is a valid request for Apple', async () => {
    expect(await directTransport(binding).push(TOPIC, [hex(1)])).toEqual([SENT]);
    expect(apns.pushes).toMatchObject([{ token: hex(1), topic: TOPIC, body: '{}', certificateFor: TOPIC }]);
    expect(apns.pushes[0]!.headers.authorization).toBeUndefined();
  });

  test('to many devices: six at a time, each with its own outcome, in order', async () => {
    apns.answer = ({ token }) => {
      if (token === hex(3)) return { status: 410, reason: 'Unregistered' };
      if (token === hex(5)) return { status: 429, reason: 'TooManyRequests', retryAfter: '30' };
      return undefined;
    };
    const tokens = Array.from({ length: 20 }, (_, i) => hex(i));
    const outcomes = await directTransport(binding).push(TOPIC, tokens);
    expect(outcomes).toEqual(
      tokens.map((token) => {
        if (token === hex(3)) return { outcome: 'gone' };
        if (token !== hex(5)) return SENT;
        return { outcome: 'retry', afterSeconds: 30, reason: "Apple's push service answered 429 TooManyRequests" };
      }),
    );
    expect(apns.pushes).toHaveLength(20);
    expect(mostAtATime).toBe(6);
    expect(await directTransport(binding).push(TOPIC, [])).toEqual([]);
  });

  test('with a provider token requests it once for all devices', async () => {
    const seen: (string | null)[] = [];
    const send: Send = async (_, init) => {
      seen.push(new Headers(init.headers).get('authorization'));
      return new Response(null);
    };
    let asked = 0;
    const transport = directTransport(send, async () => `token-${++asked}`);
    await transport.push(TOPIC, [hex(1), hex(2), hex(3)]);
    expect(seen).toEqual(['bearer token-1', 'bearer token-1', 'bearer token-1']);
  });

  test('that fails, or is not answered in time, is retried later', async () => {
    const unreachable: Send = () => Promise.reject(new Error('network lost'));
    expect(await directTransport(unreachable).push(TOPIC, [hex(1)])).toEqual([
      { outcome: 'retry', reason: "Apple's push service cannot be reached: network lost" },
    ]);
    const late: Send = async (_, { signal }) => {
      expect(signal).toBeInstanceOf(AbortSignal);
      throw new DOMException('The operation timed out', 'TimeoutError');
    };
    expect(await directTransport(late).push(TOPIC, [hex(1)])).toEqual([
      { outcome: 'retry', reason: "Apple's push service did not answer within 8 s" },
    ]);
  });

  test('that gets no answer is aborted after 8 s, by a timer that all pushes of that moment share', async () => {
    vi.useFakeTimers();
    const silent: Send = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason));
      });
    const tokens = Array.from({ length: 6 }, (_, i) => hex(i));
    const pushed = directTransport(silent).push(TOPIC, tokens);
    await vi.advanceTimersByTimeAsync(7_999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1 + GRAIN_MS);
    const late = { outcome: 'retry', reason: "Apple's push service did not answer within 8 s" };
    expect(await pushed).toEqual(tokens.map(() => late));
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test('understands a date in Retry-After, and an answer that is not JSON', async () => {
    const answering =
      (status: number, body: string, headers = {}): Send =>
      async () =>
        new Response(body, { status, headers });
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    const [later] = await directTransport(answering(503, '', { 'retry-after': inAMinute })).push(TOPIC, [hex(1)]);
    expect(later).toMatchObject({ outcome: 'retry', afterSeconds: expect.any(Number) });
    const { afterSeconds } = later as { afterSeconds: number };
    expect(afterSeconds).toBeGreaterThan(50);
    expect(afterSeconds).toBeLessThanOrEqual(60);
    expect(await directTransport(answering(403, '<html>')).push(TOPIC, [hex(1)])).toEqual([
      { outcome: 'refused', reason: "Apple's push service answered 403" },
    ]);
    expect(await directTransport(answering(403, '{"reason":"ExpiredProviderToken"}')).push(TOPIC, [hex(1)])).toEqual([
      { outcome: 'retry', reason: "Apple's push service answered 403 ExpiredProviderToken" },
    ]);
  });
});
