import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateLimiter } from '../../src/platform/rate-limiter.ts';

const START = Date.UTC(2026, 10, 20);

test('calls are evenly apart, and the first is now', () => {
  const limiter = new RateLimiter(20);
  expect([1, 2, 3].map((name) => limiter.reserve(String(name), 1, 0, START))).toEqual([0, 50, 100]);
  expect(limiter.reserve('later', 1, 0, START + 10_000)).toBe(0);
});

test('a reservation of several calls takes as much longer', () => {
  const limiter = new RateLimiter(20);
  limiter.reserve('a', 3, 0, START);
  expect(limiter.reserve('b', 1, 0, START)).toBe(150);
});

test('a caller that must wait keeps its reservation, however many others come', () => {
  const limiter = new RateLimiter(1);
  limiter.reserve('first', 1, 0, START);
  expect(limiter.reserve('waiting', 1, 0, START)).toBe(1_000);
  for (let i = 0; i < 50; i++) limiter.reserve(`other ${i}`, 1, 0, START + 100);
  expect(limiter.reserve('waiting', 1, 0, START + 400)).toBe(600);
  expect(limiter.reserve('waiting', 1, 0, START + 1_000)).toBe(0);
  expect(limiter.reserve('waiting', 1, 0, START + 1_000)).toBeGreaterThan(1_000);
});

test('a caller that waits within its patience goes without asking again', () => {
  const limiter = new RateLimiter(1);
  limiter.reserve('first', 1, 5_000, START);
  expect(limiter.reserve('patient', 1, 5_000, START)).toBe(1_000);
  expect(limiter.reserve('patient', 1, 5_000, START)).toBe(2_000);
});

test('a reservation that nobody asks for again is dropped', () => {
  const limiter = new RateLimiter(1);
  limiter.reserve('first', 1, 0, START);
  limiter.reserve('lost', 1, 0, START);
  const later = START + 20 * 60_000;
  expect(limiter.reserve('next', 1, 0, later)).toBe(0);
  expect(limiter.reserve('lost', 1, 0, later)).toBe(1_000);
});

test('in any second there are no more calls than the rate, whoever asks when', () => {
  const asker = fc.record({
    name: fc.integer({ min: 0, max: 30 }).map(String),
    afterMs: fc.integer({ min: 0, max: 300 }),
    patienceMs: fc.constantFrom(0, 2_000),
  });
  fc.assert(
    fc.property(fc.array(asker, { maxLength: 200 }), (askers) => {
      const limiter = new RateLimiter(20);
      const gone: number[] = [];
      let now = START;
      for (const { name, afterMs, patienceMs } of askers) {
        now += afterMs;
        const wait = limiter.reserve(name, 1, patienceMs, now);
        if (wait <= patienceMs) gone.push(now + wait);
      }
      gone.sort((a, b) => a - b);
      // Turns that were kept and are taken late may come together with those of that time: twice the rate is the worst
      // of a second.
      for (const [i, at] of gone.entries()) {
        expect(gone.slice(i).filter((other) => other < at + 1_000).length).toBeLessThanOrEqual(40);
      }
    }),
  );
});
