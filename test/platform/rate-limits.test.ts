import { Hono } from 'hono';
import { afterEach, expect, test, vi } from 'vitest';
import { limitPages } from '../../src/pages/download/limit-pages.tsx';
import type { PageEnv } from '../../src/pages/page-env.ts';
import type { Env } from '../../src/platform/env.ts';
import { callerAddress, isBarred, isWithin, noteFailure } from '../../src/platform/rate-limits.ts';

afterEach(() => vi.useRealTimers());

/** A binding that admits so many of a key. */
function limiter(limit: number): RateLimit {
  const counts = new Map<string, number>();
  return {
    async limit({ key }: { key: string }) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return { success: counts.get(key)! <= limit };
    },
  } as RateLimit;
}

const from = (address?: string) =>
  new Request('https://passes.example', { headers: address === undefined ? {} : { 'CF-Connecting-IP': address } });

test.each([
  ['203.0.113.7', undefined, '203.0.113.7'],
  ['127.0.0.1', undefined, '127.0.0.1'],
  ['127.0.0.1', 'off', undefined],
  ['::1', 'off', undefined],
  ['203.0.113.7', 'off', '203.0.113.7'],
  [undefined, undefined, undefined],
  // Of IPv6 the network counts: a subscriber has all of its addresses.
  ['2001:db8:12:34:a:b:c:d', undefined, '2001:db8:12:34'],
  ['2001:0DB8:0012:0034::1', undefined, '2001:db8:12:34'],
  ['2001:db8::1', undefined, '2001:db8:0:0'],
  ['::ffff:203.0.113.7', undefined, '::ffff:203.0.113.7'],
])('%s counts with LIMITS_BY_ADDRESS %s as %s', (address, setting, counted) => {
  expect(callerAddress(from(address), { LIMITS_BY_ADDRESS: setting })).toBe(counted);
});

test('somebody who has failed too often is barred for a minute', async () => {
  vi.useFakeTimers();
  const env = { FAILURE_RATE_LIMITER: limiter(2) } as Partial<Env> as Env;
  for (const barred of [false, false, true]) {
    await noteFailure(env, 'test', 'somebody');
    expect(isBarred('test', 'somebody')).toBe(barred);
  }
  expect([isBarred('test', 'somebody else'), isBarred('other', 'somebody')]).toEqual([false, false]);
  vi.advanceTimersByTime(60_001);
  expect(isBarred('test', 'somebody')).toBe(false);
});

test('nobody is limited where there is no binding or no address', async () => {
  const env = {} as Env;
  expect(await isWithin(env, 'PAGE_RATE_LIMITER', 'page', '203.0.113.7')).toBe(true);
  const strict = { PAGE_RATE_LIMITER: limiter(0) } as Partial<Env> as Env;
  expect(await isWithin(strict, 'PAGE_RATE_LIMITER', 'page', undefined)).toBe(true);
  await noteFailure(strict, 'test', undefined);
  expect(isBarred('test', undefined)).toBe(false);
});

test('an address opens so many pages a minute', async () => {
  const app = new Hono<PageEnv>().get('/p/:name', limitPages, (c) => c.text('A pass'));
  const env = { PAGE_RATE_LIMITER: limiter(3) };
  const open = (address: string) =>
    app.request('/p/one', { headers: { 'CF-Connecting-IP': address, 'Accept-Language': 'fr' } }, env);
  const replies = [];
  for (let i = 0; i < 4; i++) replies.push(await open('203.0.113.7'));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(replies[3]!.headers.get('Retry-After')).toBe('60');
  expect(await replies[3]!.text()).toContain('Trop de');
  expect((await open('203.0.113.8')).status).toBe(200);
});
