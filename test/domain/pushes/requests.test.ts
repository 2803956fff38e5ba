import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commit } from '../../../src/domain/commit.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { passes } from '../../../src/domain/passes/table.ts';
import { requestPushes } from '../../../src/domain/pushes/request-pushes.ts';
import { pendingPushes, pushFanOuts, pushPages } from '../../../src/domain/pushes/table.ts';
import { walkFanOut } from '../../../src/domain/pushes/walk-fan-out.ts';
import { type FakeQueue, withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { heldCrowd } from './held-crowd.ts';

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;
const queue: FakeQueue = { jobs: [], isDown: false };
beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = withQueue(await database.accountContext(), queue);
  templateId = await heldCrowd(ctx, 1);
});
afterAll(() => database.close());

test('a text that waits stays through a change without one, and gives way to a newer one', async () => {
  const selected = eq(passes.templateId, templateId);
  const texts: unknown[] = [];
  for (const text of ['Gate 1', null, 'Gate 2']) {
    await commit(ctx, [requestPushes(ctx, { selected, text })]);
    const rows = await database.look.select({ text: pendingPushes.text }).from(pendingPushes);
    texts.push(...rows.map((row) => row.text));
  }
  expect(texts).toEqual(['Gate 1', 'Gate 1', 'Gate 2']);
});

test.each([
  ['the next version, which looks the same, reaches nobody', 1, 2, 1, 0],
  ['a later version reaches the passes though it looks like the first: one in between may not', 1, 3, 0, 1],
])('%s', async (_, versionBefore, version, asked, pages) => {
  const id = `fan-out-${version}`;
  const { id: accountId } = ctx.account;
  const row = { id, accountId, kind: 'devices', templateId, version, versionBefore, cursor: 0, dueAt: 1, createdAt: 1 };
  await database.look.insert(pushFanOuts).values(row as typeof pushFanOuts.$inferInsert);
  const compared: number[][] = [];
  await walkFanOut(ctx, { accountId, fanOutId: id }, async (_ctx, _templateId, before, after) => {
    compared.push([before, after]);
    return true;
  });
  expect(compared).toEqual(asked ? [[versionBefore, version]] : []);
  expect(await database.look.select().from(pushPages).where(eq(pushPages.fanOutId, id))).toHaveLength(pages);
});
