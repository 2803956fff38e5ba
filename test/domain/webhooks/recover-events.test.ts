import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { events } from '../../../src/domain/events/table.ts';
import { continueRecovery, recoverEvents } from '../../../src/domain/webhooks/recover-events.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { webhookDeliveries } from '../../../src/domain/webhooks/table.ts';
import { firstUuidAt } from '../../../src/platform/ids.ts';
import { jobQueues, queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

const SINCE = Date.UTC(2026, 10, 20);
const UNTIL = SINCE + 60_000;

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

test('a recovery includes the events at both ends of its period, and none beyond', async () => {
  const account = await database.accountContext();
  const ctx: AccountContext = { ...account, env: { ...account.env, ...jobQueues(), WEBHOOKS: queueTo() } };
  const accountId = ctx.account.id;
  const target_url = 'https://receiver.example.com/';
  const { id } = (await subscribe(ctx, { target_url, event: 'pass_deleted' })).subscription;
  const times = [SINCE - 1, SINCE, UNTIL, UNTIL + 1];
  // The last 74 bits of an identifier are random; those of the last event at a time are all set.
  const ids = times.map((at, i) =>
    i < 2 ? firstUuidAt(at) : firstUuidAt(at).replace('-7000-8000-000000000000', '-7fff-bfff-ffffffffffff'),
  );
  for (const [i, createdAt] of times.entries()) {
    await database.look.insert(events).values({ id: ids[i]!, accountId, type: 'pass_deleted', body: {}, createdAt });
  }
  await recoverEvents(ctx, id, { sinceAt: SINCE, untilAt: UNTIL });
  await continueRecovery(ctx, { accountId, subscriptionId: id });
  const made = await database.look.select().from(webhookDeliveries).where(eq(webhookDeliveries.subscriptionId, id));
  expect(made.map(({ eventId }) => eventId).sort()).toEqual([ids[1], ids[2]]);
});
