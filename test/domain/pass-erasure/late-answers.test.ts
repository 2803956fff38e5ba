import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { commit } from '../../../src/domain/commit.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { recordEvent } from '../../../src/domain/events/record-event.ts';
import { events } from '../../../src/domain/events/table.ts';
import { erasePasses } from '../../../src/domain/pass-erasure/erase-passes.ts';
import { passErasures } from '../../../src/domain/passes/table.ts';
import { deliver } from '../../../src/domain/webhooks/deliver.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { webhookDeliveries } from '../../../src/domain/webhooks/table.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { queueTo } from '../../support/fake-queue.ts';
import { memoryBucket } from '../../support/memory-bucket.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

const LATER_MS = 21 * 60_000;

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());
afterEach(() => vi.unstubAllGlobals());

test('an answer from a receiver during a person’s erasure is erased in the next pass over all data', async () => {
  const account = await database.accountContext();
  const bindings = { WEBHOOKS: queueTo(), FILES: memoryBucket() };
  const ctx: AccountContext = {
    ...account,
    account: { ...account.account, hasWebhooks: true },
    env: { ...account.env, ...bindings },
    waitUntil: () => {},
  };
  const { id: accountId } = ctx.account;
  const target_url = 'https://receiver.example.com/';
  const { subscription } = await subscribe(ctx, { target_url, event: 'pass_deleted', retryEnabled: false });
  const [passId, now] = [uuidv7(), Date.now()];
  const body = { identifier: passId, userProvidedId: 'ada-1815', genericProperties: { Name: 'Ada' } } as never;
  await commit(ctx, [recordEvent(ctx, { type: 'pass_deleted', templateId: uuidv7(), passId, body })]);
  const erasure = { passId, accountId, names: [], deletedAt: now, rounds: 0, dueAt: now, isForced: true };
  await database.look.insert(passErasures).values(erasure);
  const bodies = async () =>
    (await database.look.select().from(events).where(eq(events.accountId, accountId))).map((one) => one.body);
  const told: string[] = [];
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    told.push(String(init.body));
    await erasePasses(ctx, [passId], now);
    // Immediately, although its delivery is in progress.
    expect(await bodies()).toEqual([{ identifier: passId, userProvidedId: null, genericProperties: {} }]);
    return new Response('I know ada-1815 already', { status: 500 });
  });
  await deliver(ctx, [{ type: 'fan-out-events', accountId }]);
  expect(told).toEqual([expect.stringContaining('ada-1815')]);
  const attempts = async () => {
    const isIt = eq(webhookDeliveries.subscriptionId, subscription.id);
    return (await database.look.select().from(webhookDeliveries).where(isIt)).flatMap((one) => one.attempts);
  };
  expect(await attempts()).toMatchObject([{ outcome: 'status_500', answer: 'I know ada-1815 already' }]);
  await erasePasses(ctx, [passId], now + LATER_MS);
  expect(await attempts()).toEqual([
    { at: expect.any(Number), outcome: 'status_500', status: 500, durationMs: expect.any(Number) },
  ]);
  expect(await database.look.select().from(passErasures).where(eq(passErasures.passId, passId))).toEqual([]);
});
