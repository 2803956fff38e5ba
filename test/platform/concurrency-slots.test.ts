import { expect, test } from 'vitest';
import { Slots } from '../../src/platform/concurrency.ts';

/** Work that starts immediately and ends on command. */
function pieces(slots: Slots, sizes: number[]) {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const results = sizes.map((size, i) =>
    slots.run(size, () => {
      begun.push(i);
      return new Promise<number>((resolve) => {
        ends[i] = () => resolve(i);
      });
    }),
  );
  return { begun, ends, results };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('as much work runs as there are slots, in the order of the calls', async () => {
  const { begun, ends, results } = pieces(new Slots(6), [2, 3, 6, 1]);
  await turn();
  // The last one would fit, but may not overtake the one before it.
  expect(begun).toEqual([0, 1]);
  ends[0]!();
  await turn();
  expect(begun).toEqual([0, 1]);
  ends[1]!();
  await turn();
  expect(begun).toEqual([0, 1, 2]);
  ends[2]!();
  await turn();
  ends[3]!();
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3]);
});

test('work that needs more than all slots runs alone, and a failure frees its slots', async () => {
  const slots = new Slots(2);
  await expect(slots.run(9, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await slots.run(2, async () => 'yes')).toBe('yes');
});
