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

test('fires each minute until it is stopped, even after a failure', async () => {
  const complain = vi.spyOn(console, 'error').mockImplementation(() => {});
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 10, 20, 10, 0, 30) });
  const fired: string[] = [];
  const stop = startCronClock(async (scheduledAt) => {
    if (fired.push(scheduledAt.toISOString()) === 1) throw new Error('the database is busy');
  });
  await vi.advanceTimersByTimeAsync(90_000);
  expect(fired).toEqual(['2026-11-20T10:01:00.000Z', '2026-11-20T10:02:00.000Z']);
  expect(complain.mock.calls).toEqual([['cron: the database is busy']]);
  stop();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(fired).toHaveLength(2);
});
