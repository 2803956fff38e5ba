import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateLimiter } from '../../src/platform/rate-limiter.ts';

const START = Date.UTC(2026, 10, 20);

test('calls are evenly apart, and the first is now', () => {
  const limiter = new RateLimiter(20);
  expect([1, 2, 3].map(() => limiter.take(1, 2_000, START))).toEqual([0, 50, 100]);
  expect(limiter.take(1, 0, START + 10_000)).toBe(0);
});

test('several calls take proportionally longer', () => {
  const limiter = new RateLimiter(20);
  limiter.take(3, 0, START);
  expect(limiter.take(1, 2_000, START)).toBe(150);
});

test('a caller that would wait too long takes no turn, and does not delay the next one', () => {
  const limiter = new RateLimiter(1);
  limiter.take(1, 0, START);
  for (let i = 0; i < 1_000; i++) expect(limiter.take(1, 0, START)).toBeGreaterThan(0);
  expect(limiter.take(1, 0, START + 1_000)).toBe(0);
});

test('callers that must wait get staggered times, slightly slower than the rate', () => {
  const limiter = new RateLimiter(1);
  limiter.take(1, 0, START);
  const waits = [1, 2, 3].map(() => limiter.take(1, 0, START));
  expect(waits[0]).toBe(1_000);
  for (const [i, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual((i + 1) * 1_000);
    expect(wait).toBeLessThan((i + 1) * 1_030);
  }
});

test('a booking holds no turn: callers in between go first, and an unused booking expires', () => {
  const limiter = new RateLimiter(20);
  expect(limiter.book(1_200, START)).toBe(0);
  expect(limiter.take(1, 0, START)).toBe(0);
  expect(limiter.book(1_200, START)).toBeGreaterThanOrEqual(60_000);
  expect(limiter.book(1, START + 10 * 60_000)).toBe(0);
});

test('no second has more calls than the rate, whoever calls when', () => {
  const asker = fc.record({
    calls: fc.integer({ min: 1, max: 3 }),
    afterMs: fc.integer({ min: 0, max: 300 }),
    patienceMs: fc.constantFrom(0, 2_000),
    books: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(asker, { maxLength: 200 }), (askers) => {
      const limiter = new RateLimiter(20);
      const gone: number[] = [];
      let now = START;
      for (const { calls, afterMs, patienceMs, books } of askers) {
        now += afterMs;
        if (books) limiter.book(calls, now);
        const wait = limiter.take(calls, patienceMs, now);
        if (wait <= patienceMs) gone.push(...Array<number>(calls).fill(now + wait));
      }
      // The calls of one turn are made together, so the last turn in a second may add two more.
      for (const [i, at] of gone.entries()) {
        expect(gone.slice(i).filter((other) => other < at + 1_000).length).toBeLessThanOrEqual(22);
      }
    }),
  );
});
