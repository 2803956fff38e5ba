import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimDeletion, endDeletion, saveDeletion } from '../../../src/domain/accounts/account-deletions.ts';
import { accountDeletions } from '../../../src/domain/accounts/table.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

const MINUTE_MS = 60_000;

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

test('a job that took too long changes nothing about the deletion that another job continues', async () => {
  const ctx = database.context();
  const now = Date.now();
  const begun = { accountId: 'a', rootId: 'a', ancestorIds: [], startedAt: now, step: 2, rounds: 0, deleted: 0 };
  await database.look.insert(accountDeletions).values({ ...begun, dueAt: now });
  const slow = (await claimDeletion(ctx, 'a', now))!;
  expect(await claimDeletion(ctx, 'a', now + 4 * MINUTE_MS)).toBeUndefined();
  const next = (await claimDeletion(ctx, 'a', now + 6 * MINUTE_MS))!;
  await saveDeletion(ctx, { ...slow, step: 9, rounds: 1 }, now);
  await endDeletion(ctx, slow);
  expect(await database.look.select().from(accountDeletions)).toEqual([next]);
  await saveDeletion(ctx, { ...next, step: 3, deleted: 5 }, now);
  expect(await database.look.select().from(accountDeletions)).toEqual([{ ...next, step: 3, deleted: 5, dueAt: now }]);
  await endDeletion(ctx, (await claimDeletion(ctx, 'a', now))!);
  expect(await database.look.select().from(accountDeletions)).toEqual([]);
});
