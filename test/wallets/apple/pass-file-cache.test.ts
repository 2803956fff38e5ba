import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '../../../src/domain/context.ts';
import { deleteOpenFiles } from '../../../src/wallets/apple/pass-file-cache.ts';

let miniflare: Miniflare;
let FILES: R2Bucket;
beforeAll(async () => {
  const r2 = { r2Buckets: ['FILES'], compatibilityDate: '2026-10-22', cf: false as const };
  miniflare = new Miniflare(convertV4MiniflareOptions({ modules: true, script: 'export default {}', ...r2 }));
  FILES = (await miniflare.getBindings<{ FILES: R2Bucket }>()).FILES;
});
afterAll(() => miniflare.dispose());

const keys = async () => (await FILES.list()).objects.map(({ key }) => key);

test('unencrypted files of an earlier release are deleted, and no others', async () => {
  const put = (key: string, customMetadata?: Record<string, string>) => FILES.put(key, 'x', { customMetadata });
  const kept = ['images/a', 'pass-files/b.pkpass', 'pass-files/d.pkpass'];
  await put(kept[0]!);
  for (const key of kept.slice(1)) await put(key, { 'sealed-fingerprint': '1' });
  for (const name of ['a', 'c', 'e']) await put(`pass-files/${name}.pkpass`, { fingerprint: '1' });
  // One file per page, like a bucket with more than one page.
  const list = (options: R2ListOptions) => FILES.list({ ...options, limit: 1 });
  // The task uses nothing else of the bucket and the context.
  const bucket = { list, delete: (names: string[]) => FILES.delete(names) } as unknown as R2Bucket;
  const ctx = { env: { FILES: bucket } } as unknown as Context;
  const places: (string | null)[] = [];
  for (let after: string | null = ''; after !== null; ) {
    after = await deleteOpenFiles(ctx, after);
    places.push(after);
  }
  expect(places).toEqual([...['a', 'b', 'c', 'd'].map((name) => `pass-files/${name}.pkpass`), null]);
  expect(await keys()).toEqual(kept);
});
