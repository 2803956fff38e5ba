import { expect, test } from 'vitest';
import { retryDelay } from '../../src/domain/jobs.ts';

test.each([
  [1, undefined, 5],
  [2, undefined, 10],
  [3, 0, 20],
  [11, 0, 3_600],
  [1, 40, 40],
  [5, 40, 80],
  [1, 86_400, 86_400],
])('after attempt %d, asked for %s s, the next one waits %d s', (attempts, asked, seconds) => {
  expect(retryDelay(attempts, asked)).toBe(seconds);
});
