import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commit } from '../../../src/domain/commit.ts';
import type { AccountContext, Context } from '../../../src/domain/context.ts';
import { BEING_MOVED } from '../../../src/domain/moved.ts';
import { passes } from '../../../src/domain/passes/table.ts';
import { settlePage } from '../../../src/domain/pushes/claim-page.ts';
import {
  claimPushes,
  newClaim,
  type PushClaim,
  postponeForRateLimit,
  postponePushes,
  settlePushes,
} from '../../../src/domain/pushes/claim-pushes.ts';
import { requestPushes } from '../../../src/domain/pushes/request-pushes.ts';
import { resumePushes } from '../../../src/domain/pushes/resume-pushes.ts';
import { pendingPushes, pushFanOuts, pushPages } from '../../../src/domain/pushes/table.ts';
import { walkFanOut } from '../../../src/domain/pushes/walk-fan-out.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { d1Around } from '../../support/d1-over.ts';
import { failingOnce } from '../../support/failing-once.ts';
import { type FakeQueue, withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { heldCrowd } from './held-crowd.ts';

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;
const queue: FakeQueue = { jobs: [], isDown: false };
beforeAll(async () => {
  database = openMemoryDatabase();
  ctx = withQueue(await database.accountContext(), queue);
  templateId = await heldCrowd(ctx, 1);
});
afterAll(() => database.close());

test('a pending text survives a change without one, and is replaced by a newer one', async () => {
  const selected = and(eq(passes.templateId, templateId), eq(passes.accountId, ctx.account.id))!;
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

/** Runs the cron's task at this time, and returns when the only push is then due. */
async function resumedAt(now: number): Promise<number | undefined> {
  queue.jobs = [];
  await resumePushes(withQueue(database.context(), queue), now);
  queue.jobs = queue.jobs.filter(({ type }) => type === 'push-passes');
  return (await database.look.select({ dueAt: pendingPushes.dueAt }).from(pendingPushes))[0]?.dueAt;
}

test('a push is resumed from the millisecond at which it is due; with a suspended account it waits ten minutes', async () => {
  const dueAt = Date.now() + 60_000;
  await database.look.update(pendingPushes).set({ dueAt });
  expect(await resumedAt(dueAt - 1)).toBe(dueAt);
  expect(queue.jobs).toEqual([]);
  const leased = await resumedAt(dueAt);
  expect(leased).toBeGreaterThan(dueAt);
  expect(queue.jobs).toMatchObject([{ type: 'push-passes' }]);
  await database.d1.prepare('update accounts set is_suspended = 1 where id = ?').bind(ctx.account.id).run();
  expect(await resumedAt(leased!)).toBe(leased! + 10 * 60_000);
  expect(queue.jobs).toEqual([]);
});

test('a page is not reported as done if the database fails', async () => {
  const broken = { ...ctx, ...openDatabase(failingOnce(database.d1, 'before')) };
  const claim = { accountId: ctx.account.id, fanOutId: 'fan-out-3', page: 1, claim: 'claim' };
  await expect(settlePage(broken, claim)).rejects.toThrow();
});

test('an answered push is done, whether or not anything is recorded', async () => {
  const { id: accountId } = (await database.accountContext()).account;
  const claim: PushClaim = { accountId, wallet: 'apple', passIds: ['answered'], claims: [newClaim()] };
  const row = { passId: 'answered', wallet: 'apple', accountId, requestedAt: 1, dueAt: 1, attempts: 0 } as const;
  await database.look.insert(pendingPushes).values(row);
  expect(await claimPushes(ctx, claim)).toHaveLength(1);
  await settlePushes(ctx, claim);
  expect(await database.look.$count(pendingPushes, eq(pendingPushes.passId, 'answered'))).toBe(0);
});

/** Ways to leave a push to a later job. */
const POSTPONE: Record<string, (at: Context, claim: PushClaim) => Promise<void>> = {
  'after an error': (at, claim) => postponePushes(at, claim, 5),
  'at the rate limit': (at, claim) =>
    postponeForRateLimit(at, claim, { type: 'push-to-google', accountId: claim.accountId, passId: 'later' }, 5),
};

test.each(Object.entries(POSTPONE))(
  'a push to try again %s waits for no lease if its account moves',
  async (_, postpone) => {
    const { id: accountId } = (await database.accountContext()).account;
    const claim: PushClaim = { accountId, wallet: 'google', passIds: ['later'], claims: [newClaim()] };
    const row = { passId: 'later', wallet: 'google', accountId, requestedAt: 1, dueAt: 1, attempts: 0 } as const;
    await database.look.insert(pendingPushes).values(row);
    expect(await claimPushes(ctx, claim)).toHaveLength(1);
    let refusals = 2;
    const refusing = d1Around(database.d1, async (run, [first]) => {
      if (refusals === 0 || !first!.sql.startsWith('update')) return run();
      refusals -= 1;
      throw new Error(BEING_MOVED);
    });
    await postpone({ ...ctx, ...openDatabase(refusing) }, claim);
    const isLater = eq(pendingPushes.passId, 'later');
    expect(await database.look.select().from(pendingPushes).where(isLater)).toMatchObject([{ claim: null }]);
    await database.look.delete(pendingPushes).where(isLater);
  },
);
