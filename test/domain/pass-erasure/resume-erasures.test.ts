import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { erasePasses, resumeErasures } from '../../../src/domain/pass-erasure/erase-passes.ts';
import { passErasures } from '../../../src/domain/passes/table.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { d1Around } from '../../support/d1-over.ts';
import { type FakeQueue, withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
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

const ended = { accountId: 'account', names: [], deletedAt: 1, dueAt: 1 };
const erasureOf = (passId: string) => database.look.select().from(passErasures).where(eq(passErasures.passId, passId));

test('keeps an erasure that is requested again while its last round runs', async () => {
  const passId = 'anonymized-then-deleted';
  await database.look.insert(passErasures).values({ ...ended, passId, rounds: 1 });
  const again = { deletedAt: 2, rounds: 0, dueAt: 3 };
  const meanwhile = d1Around(database.d1, async (work, statements) => {
    if (statements.some(({ sql }) => /^delete from .?pass_erasures/.test(sql)))
      await database.look.update(passErasures).set(again).where(eq(passErasures.passId, passId));
    return work();
  });
  await erasePasses({ ...database.context(), ...openDatabase(meanwhile) }, [passId]);
  expect(await erasureOf(passId)).toMatchObject([again]);
});

test('counts a round once that runs twice at the same time', async () => {
  const passId = 'twice';
  await database.look.insert(passErasures).values({ ...ended, passId, rounds: 0 });
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  let waiting = 2;
  const together = d1Around(database.d1, async (work, statements) => {
    const result = await work();
    // Both runs have read the row before one of them ends its round.
    if (statements.some(({ sql }) => /^select .* from .?pass_erasures/.test(sql))) {
      if (--waiting === 0) read();
      await isRead;
    }
    return result;
  });
  const run = () => erasePasses({ ...database.context(), ...openDatabase(together) }, [passId]);
  await Promise.all([run(), run()]);
  expect(await erasureOf(passId)).toMatchObject([{ rounds: 1 }]);
});
