import { expect, test } from 'vitest';
import { DomainError } from '../../src/domain/errors.ts';
import { writeOnce } from '../../src/domain/write-once.ts';

/** Returns a function that throws each of these errors once, in order. */
const failing = (...errors: Error[]) => {
  return async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'written';
  };
};
const conflict = () => new DomainError('conflict', 'There is one already');
const lost = () => new Error('D1_ERROR: Network connection lost.');

test('a rejected second attempt looks for the first one’s result, which was committed late', async () => {
  const found = [undefined, 'standing'];
  expect(await writeOnce({}, async () => found.shift(), failing(lost(), conflict()))).toBe('standing');
});

test('a rejected first attempt looks for nothing, because nothing of its own can be in its way', async () => {
  const find = () => Promise.resolve('of somebody else');
  await expect(writeOnce({}, find, failing(conflict()))).rejects.toThrow('There is one already');
});
