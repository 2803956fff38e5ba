import { expect, test } from 'vitest';
import type { Context } from '../../../src/domain/context.ts';
import { purgeImports } from '../../../src/domain/imports/stored-import.ts';

const HOUR = 3_600_000;
const FULL_HOUR = Date.UTC(2026, 10, 20, 15, 0, 30);

/** A store that lists two files per page. */
function store(files: Map<string, number>) {
  const FILES = {
    list: ({ prefix, cursor = '0' }: { prefix: string; cursor?: string }) => {
      const start = Number(cursor);
      const all = [...files].filter(([key]) => key.startsWith(prefix));
      const objects = all.slice(start, start + 2).map(([key, at]) => ({ key, uploaded: new Date(at) }));
      return Promise.resolve({ objects, truncated: start + 2 < all.length, cursor: String(start + 2) });
    },
    delete: (keys: string[]) => {
      removed.push(...keys);
      return Promise.resolve();
    },
  };
  const removed: string[] = [];
  // The purge only lists and deletes in the bucket.
  return { ctx: { env: { FILES } } as unknown as Context, removed };
}

test('deletes only files that nobody decided about for a day', async () => {
  const files = new Map([
    ['imports/a/1', FULL_HOUR - 25 * HOUR],
    ['imports/a/2', FULL_HOUR - 23 * HOUR],
    ['imports/b/3', FULL_HOUR - 48 * HOUR],
    ['passes/c', FULL_HOUR - 99 * HOUR],
  ]);
  const { ctx, removed } = store(files);
  await purgeImports(ctx, FULL_HOUR);
  expect(removed).toEqual(['imports/a/1', 'imports/b/3']);
});

test('runs once an hour', async () => {
  const { ctx, removed } = store(new Map([['imports/a/1', 0]]));
  await purgeImports(ctx, FULL_HOUR + HOUR / 2);
  expect(removed).toEqual([]);
});
