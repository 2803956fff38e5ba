import { expect, test, vi } from 'vitest';
import { AssetCache } from '../../src/platform/asset-cache.ts';

const bytes = (length: number) => new Uint8Array(length);

test('a cached asset is not loaded again', async () => {
  const cache = new AssetCache(100);
  const load = vi.fn(async () => bytes(10));
  const first = await cache.get('a', load);
  expect(await cache.get('a', load)).toBe(first);
  expect(load).toHaveBeenCalledTimes(1);
});

test('simultaneous callers share one load', async () => {
  const cache = new AssetCache(100);
  const { promise, resolve } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const load = vi.fn(() => promise);
  const both = [cache.get('a', load), cache.get('a', load)];
  const other = cache.get('b', async () => bytes(2));
  resolve(bytes(1));
  const [first, second] = await Promise.all(both);
  expect(first).toBe(second);
  expect((await other).length).toBe(2);
  expect(load).toHaveBeenCalledTimes(1);
});

test('a failed load reaches all waiting callers, and is retried the next time', async () => {
  const cache = new AssetCache(100);
  const failing = () => Promise.reject(new Error('bucket away'));
  const waiting = await Promise.allSettled([cache.get('a', failing), cache.get('a', failing)]);
  expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await cache.get('a', async () => bytes(3))).length).toBe(3);
});

test('the least recently used asset is evicted when the bytes do not fit', async () => {
  const cache = new AssetCache(100);
  const load = vi.fn(async () => bytes(40));
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(key, load);
  // Loads a and b; c evicts b, so b is loaded again.
  expect(load).toHaveBeenCalledTimes(4);
});
