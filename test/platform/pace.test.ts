import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Pace } from '../../src/platform/pace.ts';

const START = Date.UTC(2026, 10, 20);

test('turns are evenly apart, and the first is now', () => {
  const pace = new Pace(20);
  expect([1, 2, 3].map((name) => pace.turn(String(name), 1, 0, START))).toEqual([0, 50, 100]);
  expect(pace.turn('later', 1, 0, START + 10_000)).toBe(0);
});

test('a turn of several calls takes as much longer', () => {
  const pace = new Pace(20);
  pace.turn('a', 3, 0, START);
  expect(pace.turn('b', 1, 0, START)).toBe(150);
});

test('who has to wait keeps its turn, however many come meanwhile', () => {
  const pace = new Pace(1);
  pace.turn('first', 1, 0, START);
  expect(pace.turn('waiting', 1, 0, START)).toBe(1_000);
  for (let i = 0; i < 50; i++) pace.turn(`other ${i}`, 1, 0, START + 100);
  expect(pace.turn('waiting', 1, 0, START + 400)).toBe(600);
  expect(pace.turn('waiting', 1, 0, START + 1_000)).toBe(0);
  expect(pace.turn('waiting', 1, 0, START + 1_000)).toBeGreaterThan(1_000);
});

test('who waits patiently is not kept: it goes at its turn without asking again', () => {
  const pace = new Pace(1);
  pace.turn('first', 1, 5_000, START);
  expect(pace.turn('patient', 1, 5_000, START)).toBe(1_000);
  expect(pace.turn('patient', 1, 5_000, START)).toBe(2_000);
});

test('a turn that nobody comes for is forgotten', () => {
  const pace = new Pace(1);
  pace.turn('first', 1, 0, START);
  pace.turn('lost', 1, 0, START);
  const later = START + 20 * 60_000;
  expect(pace.turn('next', 1, 0, later)).toBe(0);
  expect(pace.turn('lost', 1, 0, later)).toBe(1_000);
});

test('in any second there are no more calls than the rate, whoever asks when', () => {
  const asker = fc.record({
    name: fc.integer({ min: 0, max: 30 }).map(String),
    afterMs: fc.integer({ min: 0, max: 300 }),
    patienceMs: fc.constantFrom(0, 2_000),
  });
  fc.assert(
    fc.property(fc.array(asker, { maxLength: 200 }), (askers) => {
      const pace = new Pace(20);
      const gone: number[] = [];
      let now = START;
      for (const { name, afterMs, patienceMs } of askers) {
        now += afterMs;
        const wait = pace.turn(name, 1, patienceMs, now);
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
