import { afterAll, beforeAll, expect, test } from 'vitest';
import { resumeErasures } from '../../../src/domain/pass-erasure/erase-passes.ts';
import { passErasures } from '../../../src/domain/passes/table.ts';
import { type FakeQueue, withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

test('queues fifty passes of one account at a time, and fails if the queue does', async () => {
  const queue: FakeQueue = { jobs: [], isDown: false };
  const rows = Array.from({ length: 52 }, (_, i) => {
    const accountId = i === 0 ? 'other' : 'account';
    return { passId: `pass-${i}`, accountId, names: [], deletedAt: 1, rounds: 0, dueAt: 1 };
  });
  for (const row of rows) await database.look.insert(passErasures).values(row);
  await resumeErasures(withQueue(database.context(), queue));
  const sizes = queue.jobs.map((job) => [job.accountId, job.type === 'erase-passes' && job.passIds.length]);
  expect(sizes.sort()).toEqual([
    ['account', 1],
    ['account', 50],
    ['other', 1],
  ]);
  await database.look.update(passErasures).set({ dueAt: 1 });
  queue.isDown = true;
  await expect(resumeErasures(withQueue(database.context(), queue))).rejects.toThrow('the queue is down');
});
