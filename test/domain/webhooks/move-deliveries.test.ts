import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { recordEvent } from '../../../src/domain/events/record-event.ts';
import { deliver } from '../../../src/domain/webhooks/deliver.ts';
import { resendDelivery } from '../../../src/domain/webhooks/list-deliveries.ts';
import { moveDeliveries } from '../../../src/domain/webhooks/move-deliveries.ts';
import { continueRecovery, recoverEvents } from '../../../src/domain/webhooks/recover-events.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { earlierDeliveries, webhookDeliveries } from '../../../src/domain/webhooks/table.ts';
import { type FakeQueue, queueTo, withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const NOW = Date.now();
const delivery = (subscriptionId: string, eventId: string, nextAttemptAt: number | null) => ({
  ...{ subscriptionId, eventId, nextAttemptAt, attemptCount: 1, createdAt: 1 },
  state: nextAttemptAt === null ? ('delivered' as const) : ('waiting' as const),
  attempts: [{ at: 1, outcome: 'status_500', durationMs: 1 }],
});

/** Creates an account with a subscription and its deliveries. */
async function told() {
  const queue: FakeQueue = { jobs: [], isDown: false };
  const ctx: AccountContext = withQueue(await database.accountContext(), queue);
  Object.assign(ctx.env, { WEBHOOKS: queueTo() });
  const { subscription } = await subscribe(ctx, {
    ...{ target_url: 'https://a.example.com', event: 'pass_deleted', retryEnabled: true },
  });
  ctx.account.hasWebhooks = true;
  const job = { type: 'deliver-webhooks', accountId: ctx.account.id, subscriptionId: subscription.id } as const;
  return { ctx, id: subscription.id, job };
}

const idsIn = async (table: typeof webhookDeliveries | typeof earlierDeliveries, of: string) => {
  const rows = await database.look.select().from(table);
  return rows.flatMap(({ subscriptionId, eventId }) => (subscriptionId === of ? [eventId] : [])).sort();
};

test('deliveries of the previous release are moved unchanged, once; one in progress stays until it is due', async () => {
  const rows = [delivery('s', 'ended', null), delivery('s', 'due', NOW), delivery('s', 'under way', NOW + 1)];
  await database.look.insert(earlierDeliveries).values(rows);
  await Promise.all([moveDeliveries(database.context(), NOW), moveDeliveries(database.context(), NOW)]);
  const moved = (await database.look.select().from(webhookDeliveries)).filter((row) => row.subscriptionId === 's');
  expect(moved).toEqual([rows[1], rows[0]]);
  expect(await idsIn(earlierDeliveries, 's')).toEqual(['under way']);
  await moveDeliveries(database.context(), NOW + 1);
  expect([await idsIn(webhookDeliveries, 's'), await idsIn(earlierDeliveries, 's')]).toEqual([
    ['due', 'ended', 'under way'],
    [],
  ]);
});

test('one that is resent before the cron handles it is moved by that, and delivered', async () => {
  const { ctx, id, job } = await told();
  await recordEvent(ctx, { id: 'resent', type: 'pass_deleted', body: { passId: 'x' } as never });
  await database.look.update(webhookDeliveries).set({ nextAttemptAt: null });
  await database.d1.prepare("update account_events set pending = null where id = 'resent'").run();
  await database.look.insert(earlierDeliveries).values(delivery(id, 'resent', null));
  await resendDelivery(ctx, id, 'resent');
  expect([await idsIn(webhookDeliveries, id), await idsIn(earlierDeliveries, id)]).toEqual([['resent'], []]);
  vi.stubGlobal('fetch', async () => new Response(''));
  expect(await deliver(ctx, [job])).toEqual({ attempts: 1, pushes: 0 });
  vi.unstubAllGlobals();
});

test('a recovery waits for the move, so that nothing is delivered twice', async () => {
  const { ctx, id } = await told();
  await recordEvent(ctx, { type: 'pass_deleted', body: { passId: 'x' } as never });
  const { results } = await database.d1
    .prepare('update account_events set pending = null where account_id = ? returning id')
    .bind(ctx.account.id)
    .all<{ id: string }>();
  const eventId = results[0]!.id;
  await database.look.insert(earlierDeliveries).values(delivery(id, eventId, null));
  await recoverEvents(ctx, id, { sinceAt: NOW - 60_000, untilAt: Date.now() + 60_000 });
  const job = { accountId: ctx.account.id, subscriptionId: id };
  await continueRecovery(ctx, job);
  expect(await idsIn(webhookDeliveries, id)).toEqual([]);
  await moveDeliveries(database.context());
  await continueRecovery(ctx, job);
  const [row] = (await database.look.select().from(webhookDeliveries)).filter((one) => one.subscriptionId === id);
  expect(row).toMatchObject({ eventId, state: 'delivered', nextAttemptAt: null });
});
