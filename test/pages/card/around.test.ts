import { expect, test } from 'vitest';
import { ACTION_TYPES } from '../../../src/domain/templates/apple/members.ts';
import { ACTION_WORDS } from '../../../src/pages/card/new-looks/around.tsx';

test.each(Object.entries(ACTION_WORDS))('each featured action has its own words in %s', (_, words) => {
  expect(Object.keys(words)).toEqual([...ACTION_TYPES]);
  expect(new Set(Object.values(words).filter(Boolean)).size).toBe(ACTION_TYPES.length);
});
