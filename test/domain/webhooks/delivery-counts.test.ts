import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { countsQuery, getStatistics } from '../../../src/domain/statistics/get-statistics.ts';
import { addUncounted, withEnds } from '../../../src/domain/webhooks/delivery-counts.ts';
import { deleteSubscription, unsubscribeTarget } from '../../../src/domain/webhooks/manage-subscription.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { webhookSubscriptions } from '../../../src/domain/webhooks/table.ts';
import { queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

const HOUR_MS = 3_600_000;
const BEGIN = Date.UTC(2030, 0, 1);
const TARGET = 'https://receiver.example.com/';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

/** Creates a webhook whose attempts end with `metric` at given times. */
async function webhook() {
  const account = await database.accountContext();
  const ctx: AccountContext = { ...account, env: { ...account.env, WEBHOOKS: queueTo() } };
  const { id } = (await subscribe(ctx, { target_url: TARGET, event: 'pass_created' })).subscription;
  const isIt = sql`${eq(webhookSubscriptions.id, id)} and ${eq(webhookSubscriptions.accountId, ctx.account.id)}`;
  const end = async (metric: string, ...times: number[]) => {
    const uncounted = withEnds(
      times.map((at) => ({ metric, at })),
      false,
    );
    await ctx.db.update(webhookSubscriptions).set({ uncounted }).where(isIt);
  };
  const add = () =>
    ctx.db.batch([addUncounted(ctx, isIt), ctx.db.update(webhookSubscriptions).set({ uncounted: null }).where(isIt)]);
  const counts = () => countsQuery(ctx, ['webhook_delivered', 'webhook_failed'], BEGIN, BEGIN + HOUR_MS);
  const shown = async () => (await getStatistics(ctx, ['webhook_delivered'], BEGIN, BEGIN + HOUR_MS)).counts;
  return { ctx, id, end, add, counts, shown };
}

test('outcomes of attempts add up by metric and hour, even if fifty are written and counted at once', async () => {
  const { end, add, counts } = await webhook();
  const other = await webhook();
  await other.end('webhook_delivered', BEGIN);
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      await end('webhook_delivered', BEGIN, BEGIN + HOUR_MS - 1);
      await add();
    }),
  );
  await end('webhook_delivered', BEGIN + HOUR_MS);
  await end('webhook_failed', BEGIN);
  await add();
  await other.end('webhook_failed', BEGIN);
  expect((await counts()).toSorted((a, b) => b.count - a.count || a.metric.localeCompare(b.metric))).toEqual([
    { metric: 'webhook_delivered', hourAt: BEGIN, count: 100 },
    { metric: 'webhook_delivered', hourAt: BEGIN + HOUR_MS, count: 1 },
    { metric: 'webhook_failed', hourAt: BEGIN, count: 1 },
  ]);
  expect(await other.counts()).toEqual([]);
});

test('statistics include the outcomes in a webhook’s row, only the account’s own', async () => {
  const [own, other] = [await webhook(), await webhook()];
  await own.end('webhook_delivered', BEGIN, BEGIN + 1, BEGIN - 1);
  await other.end('webhook_delivered', BEGIN);
  expect(await own.shown()).toEqual([{ metric: 'webhook_delivered', hourAt: BEGIN, count: 2 }]);
});

test.each([
  ['is deleted', ({ ctx, id }) => deleteSubscription(ctx, id)],
  ['is unsubscribed', ({ ctx }) => unsubscribeTarget(ctx, TARGET)],
] as [string, (own: Awaited<ReturnType<typeof webhook>>) => Promise<void>][])(
  'the counts of a webhook that %s stay',
  async (_, remove) => {
    const own = await webhook();
    await own.end('webhook_delivered', BEGIN);
    await remove(own);
    expect(await own.counts()).toEqual([{ metric: 'webhook_delivered', hourAt: BEGIN, count: 1 }]);
  },
);
