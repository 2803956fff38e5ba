import { afterAll, beforeAll, expect, test } from 'vitest';
import { purgeIdempotencyKeys } from '../../../src/domain/idempotency/idempotent-requests.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import type { Env } from '../../../src/platform/env.ts';
import { d1Around } from '../../support/d1-over.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

const HOUR = 3_600_000;
const FULL_HOUR = Date.UTC(2026, 10, 20, 15, 0, 30);

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

test('deletes the files of large replies after a day, once an hour', async () => {
  const stored = new Map([
    ['idempotent-replies/a/old', FULL_HOUR - 25 * HOUR],
    ['idempotent-replies/a/new', FULL_HOUR - 23 * HOUR],
    ['imports/a/old', FULL_HOUR - 25 * HOUR],
  ]);
  const FILES = {
    list: async ({ prefix }: { prefix: string }) => ({
      objects: [...stored]
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, at]) => ({ key, uploaded: new Date(at) })),
    }),
    delete: async (keys: string[]) => {
      for (const key of keys) stored.delete(key);
    },
  };
  const context = database.context();
  // The task only lists and deletes in the bucket.
  const ctx = { ...context, env: { ...context.env, FILES: FILES as unknown as Env['FILES'] } };
  await purgeIdempotencyKeys(ctx, FULL_HOUR + HOUR / 2);
  expect(stored.size).toBe(3);
  await purgeIdempotencyKeys(ctx, FULL_HOUR);
  expect([...stored.keys()]).toEqual(['idempotent-replies/a/new', 'imports/a/old']);
});

test('fails if the database fails, so that its log line shows it', async () => {
  for (const failing of [1, 2]) {
    let roundTrips = 0;
    const d1 = d1Around(database.d1, (work) => {
      roundTrips += 1;
      if (roundTrips === failing) throw new Error('D1_ERROR: the connection is lost');
      return work();
    });
    const ctx = { ...database.context(), ...openDatabase(d1) };
    await expect(purgeIdempotencyKeys(ctx, FULL_HOUR + HOUR / 2)).rejects.toThrow();
  }
});
