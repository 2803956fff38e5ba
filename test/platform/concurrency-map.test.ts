import { describe, expect, test } from 'vitest';
import { mapConcurrent } from '../../src/platform/concurrency.ts';

const LIST = Array.from({ length: 20 }, (_, i) => i);
const later = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 5));

describe('mapConcurrent', () => {
  test.each([1, 3, 50])('returns all results in order, with at most %i in progress', async (atATime) => {
    let underWay = 0;
    let most = 0;
    const results = await mapConcurrent(LIST, atATime, async (number) => {
      most = Math.max(most, ++underWay);
      await later();
      underWay -= 1;
      return number * 2;
    });
    expect(results).toEqual(LIST.map((number) => number * 2));
    expect(most).toBe(Math.min(atATime, LIST.length));
  });

  test('starts nothing more once one has failed, and throws its error', async () => {
    const begun: number[] = [];
    const work = mapConcurrent(LIST, 3, async (number) => {
      begun.push(number);
      await later();
      if (number === 1) throw new Error('one');
    });
    await expect(work).rejects.toThrow('one');
    await later();
    expect(begun.length).toBeLessThan(LIST.length);
  });

  test('returns nothing for nothing', async () => {
    expect(await mapConcurrent([], 3, async () => 1)).toEqual([]);
  });
});
