import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/settings.ts';
import { dealOut, SLOW_FILES } from './lane-shards.ts';

const USUAL = Array.from({ length: 40 }, (_, i) => `test/usual-${i}.test.ts`);
const FILES = [...USUAL, ...Object.keys(SLOW_FILES)].sort();

describe('the parts of the unit tests', () => {
  test.each([1, 2, 3])('contain each file once if there are %i', (count) => {
    const parts = dealOut(FILES, count);
    expect(parts).toHaveLength(count);
    expect(parts.flat().sort()).toEqual(FILES);
  });

  test('are the same for any order of files', () => {
    expect(dealOut(FILES.toReversed(), 2)).toEqual(dealOut(FILES, 2));
  });

  test('have similar durations', () => {
    const [first, second] = dealOut(FILES, 2).map((files) =>
      files.reduce((sum, file) => sum + (SLOW_FILES[file] ?? 0.25), 0),
    );
    expect(Math.abs(first! - second!)).toBeLessThan(0.5);
  });

  test('list only existing slow files', () => {
    expect(Object.keys(SLOW_FILES).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
