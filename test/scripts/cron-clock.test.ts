import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { startCronClock, untilNextMinute } from '../../scripts/cron-clock.ts';

afterEach(() => vi.useRealTimers());

test('waits for the next full minute, and not for one that is just beginning', () => {
  const minute = Date.UTC(2026, 10, 20, 10, 0);
  expect(untilNextMinute(minute)).toBe(60_000);
  expect(untilNextMinute(minute + 1)).toBe(59_999);
  expect(untilNextMinute(minute + 30_000)).toBe(30_000);
  expect(untilNextMinute(minute - 5)).toBe(60_005);
});

test('runs the scheduled handler each minute until it is stopped', async () => {
  const requests: string[] = [];
  const server = createServer((request, reply) => {
    requests.push(request.url ?? '');
    reply.end('ok');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const errors: string[] = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 10, 20, 10, 0, 30) });
  const stop = startCronClock(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, (error) =>
    errors.push(error),
  );
  for (const seconds of [30, 60]) {
    const request = once(server, 'request');
    vi.advanceTimersByTime(seconds * 1000);
    const [{ url }] = await request;
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    expect([pathname, searchParams.get('cron')]).toEqual(['/cdn-cgi/local/scheduled', '* * * * *']);
    expect(Number(searchParams.get('time')) % 60_000).toBe(0);
  }
  stop();
  vi.advanceTimersByTime(120_000);
  expect(requests).toHaveLength(2);
  expect(errors).toEqual([]);
  server.close();
});
