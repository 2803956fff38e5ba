import { describe, expect, test } from 'vitest';
import { isShard, randomToken, SHARD_MAX, seededUuid, shardOf, uuidv7 } from '../../src/platform/ids.ts';
import {
  alphanumericIn,
  isToken,
  shardOfAlphanumeric,
  shardOfToken,
  tokenIn,
} from '../../src/platform/shard-tokens.ts';

const SHARDS = [0, 1, 2, 63, 64, 0xff, 0x101, 0x1234, SHARD_MAX];

describe.each(SHARDS)('shard %i', (shard) => {
  test('is in identifiers, tokens and keys', () => {
    const id = uuidv7(shard);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([shardOf(id), shardOf(id.toUpperCase())]).toEqual([shard, shard]);
    const seeded = seededUuid(crypto.getRandomValues(new Uint8Array(32)), { shard, millis: 1, ordinal: 5_000 });
    expect(shardOf(seeded)).toBe(shard);
    const token = tokenIn(shard);
    expect(token).toMatch(/^[\w-]{25}$/);
    expect([isToken(token), shardOfToken(token)]).toEqual([true, shard]);
    const key = alphanumericIn(shard, 16);
    expect(key).toMatch(/^[A-Za-z0-9]{16}$/);
    expect(shardOfAlphanumeric(key)).toBe(shard);
  });
});

test('earlier identifiers, which end in a random byte and 00, belong to the first shard', () => {
  for (let byte = 0; byte < 256; byte++) {
    expect(shardOf(`0199c0de-0000-7000-8000-00000000${byte.toString(16).padStart(2, '0')}00`)).toBe(0);
  }
  expect([0x100, 0xff00, -1, 1.5, SHARD_MAX + 1].map(isShard)).toEqual([false, false, false, false, false]);
  expect(() => uuidv7(0x100)).toThrow('is no shard');
});

test('earlier tokens, and invalid ones, belong to the first shard', () => {
  const old = randomToken();
  expect([isToken(old), shardOfToken(old)]).toEqual([true, 0]);
  expect(['', 'x', '_'.repeat(25), `AEA${'x'.repeat(22)}`, '.'.repeat(25)].map(shardOfToken)).toEqual([0, 0, 0, 0, 0]);
});

test('few earlier keys seem to name a shard', () => {
  const { length } = Array.from({ length: 62 ** 2 }, (_, i) => {
    const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    return shardOfAlphanumeric(`b${letters[Math.floor(i / 62)]}${letters[i % 62]}7xxxxxxxxxxxx`);
  }).filter((shard) => shard !== 0);
  expect(length).toBeLessThan(62 ** 2 / 100);
});
