import { expect, test } from 'vitest';
import { newRevision, versionAfter, versionNumber } from '../../src/domain/versions.ts';

test('versions increase, continue earlier numbers, and differ from those of another change', () => {
  for (const number of [1, 2, 1_000_000]) {
    const [one, other] = [versionAfter(number), versionAfter(number)];
    expect([versionNumber(number), versionNumber(one), versionNumber(other)]).toEqual([number, number + 1, number + 1]);
    expect(one).not.toBe(other);
    const next = versionAfter(one);
    expect([versionNumber(next), next > one, Number.isSafeInteger(next)]).toEqual([number + 2, true, true]);
  }
});

test('a revision is a positive number of four bytes', () => {
  const drawn = Array.from({ length: 100 }, newRevision);
  expect(drawn.every((one) => Number.isInteger(one) && one > 0 && one < 2 ** 31)).toBe(true);
  expect(new Set(drawn).size).toBeGreaterThan(95);
});
