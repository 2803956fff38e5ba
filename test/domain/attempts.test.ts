import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { retryUntilWritten } from '../../src/domain/attempts.ts';
import { Random } from '../support/random.ts';

const ROUND_TRIP_MILLIS = 25;

beforeEach(() => {
  vi.useFakeTimers();
  const random = new Random(1);
  vi.spyOn(Math, 'random').mockImplementation(() => random.below(1_000) / 1_000);
});
afterEach(() => vi.useRealTimers());

/** Lets rivals change one row at once: each reads its version, and writes if it still has it a round trip later. */
async function race(rivals: number) {
  let [version, attempts] = [0, 0];
  const startedAt = Date.now();
  const change = () =>
    retryUntilWritten('The pass', async () => {
      attempts += 1;
      const read = version;
      await new Promise((resolve) => setTimeout(resolve, ROUND_TRIP_MILLIS));
      if (version !== read) return undefined;
      version += 1;
      return version;
    });
  const all = Promise.all(Array.from({ length: rivals }, change));
  await vi.runAllTimersAsync();
  return { versions: (await all).toSorted((a, b) => a - b), attempts, millis: Date.now() - startedAt };
}

describe('rivals for one row', () => {
  test('change it one after another, 50 of them with six attempts each', async () => {
    const { versions, attempts, millis } = await race(50);
    expect(versions).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(attempts / 50).toBeLessThan(6.5);
    expect(millis).toBeLessThan(3_000);
  });

  test('wait for at most ten milliseconds if there are two', async () => {
    const { attempts, millis } = await race(2);
    expect(attempts).toBe(3);
    expect(millis).toBeLessThanOrEqual(2 * ROUND_TRIP_MILLIS + 10);
  });
});
