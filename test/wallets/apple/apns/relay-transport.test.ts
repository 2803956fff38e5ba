import { describe, expect, test } from 'vitest';
import { relayTransport } from '../../../../src/wallets/apple/apns/relay-transport.ts';

const TOPIC = 'pass.com.example.tickets';
const TOKENS = ['aa', 'bb'];
type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const push = (fetch: Fetch, url = 'https://relay.example.com/apns/') =>
  relayTransport({ url, token: async () => 'secret' }, { fetch }).push(TOPIC, TOKENS);
const answering = (status: number, body: object | string, headers = {}): Fetch => {
  return async () => new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
};

describe('a push through a relay', () => {
  test('is one request for all devices, below the given address', async () => {
    const requests: { url: string; init: RequestInit }[] = [];
    const outcomes = [{ outcome: 'sent' }, { outcome: 'gone' }];
    const fetch: Fetch = async (url, init) => {
      requests.push({ url, init });
      return Response.json({ outcomes });
    };
    expect(await push(fetch)).toEqual(outcomes);
    const [{ url, init }] = requests as [(typeof requests)[0]];
    expect(requests).toHaveLength(1);
    expect(url).toBe('https://relay.example.com/apns/v1/pushes');
    expect(init).toMatchObject({ method: 'POST', redirect: 'manual', headers: { authorization: 'Bearer secret' } });
    expect(JSON.parse(init.body as string)).toEqual({ topic: TOPIC, tokens: TOKENS });
  });

  test.each<[string, Fetch, object]>([
    [
      'is busy',
      answering(429, {}, { 'retry-after': '2' }),
      { outcome: 'retry', afterSeconds: 2, reason: 'The relay answered 429' },
    ],
    ['has failed', answering(502, 'Bad gateway'), { outcome: 'retry', reason: 'The relay answered 502' }],
    ['knows another token', answering(401, {}), { outcome: 'refused', reason: 'The relay answered 401' }],
    ['is none', answering(404, 'Nothing here'), { outcome: 'refused', reason: 'The relay answered 404' }],
    [
      'is none, but says yes',
      answering(200, '<html>'),
      { outcome: 'retry', reason: 'The relay sent an invalid reply' },
    ],
    [
      'forgets a device',
      answering(200, { outcomes: [{ outcome: 'sent' }] }),
      { outcome: 'retry', reason: 'The relay sent an invalid reply' },
    ],
    [
      'has moved',
      answering(308, '', { location: 'https://elsewhere.example.com' }),
      { outcome: 'refused', reason: 'The relay answered 308' },
    ],
    [
      'cannot be reached',
      () => Promise.reject(new TypeError('fetch failed')),
      { outcome: 'retry', reason: 'The relay: the server cannot be reached' },
    ],
  ])('that %s has an outcome for each device', async (_, fetch, outcome) => {
    expect(await push(fetch)).toEqual([outcome, outcome]);
  });

  test('goes to no address that the guard forbids', async () => {
    const asked: string[] = [];
    const fetch: Fetch = async (url) => {
      asked.push(url);
      return Response.json({});
    };
    for (const url of ['http://relay.example.com', 'https://127.0.0.1:8100', 'https://relay.internal']) {
      expect(await push(fetch, url)).toMatchObject([{ outcome: 'refused' }, { outcome: 'refused' }]);
    }
    expect(asked).toEqual([]);
  });
});
