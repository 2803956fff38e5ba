import { afterAll, beforeAll, expect, test } from 'vitest';
import { commit } from '../../../src/domain/commit.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { recordEvent } from '../../../src/domain/events/record-event.ts';
import type { DeliveryJob } from '../../../src/domain/jobs.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

test('an event requests its fan-out only if it has a subscription', async () => {
  const queued: DeliveryJob[] = [];
  const WEBHOOKS = queueTo<DeliveryJob>((jobs) => queued.push(...jobs));
  const account = await database.accountContext();
  const ctx: AccountContext = { ...account, env: { ...account.env, WEBHOOKS } };
  await subscribe(ctx, { target_url: 'https://receiver.example.com/', event: 'pass_deleted' });
  const acting = { ...ctx, account: { ...ctx.account, hasWebhooks: true } };
  const after: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void after.push(work);
  const record = async (type: 'pass_deleted' | 'pass_created') => {
    const event = { type, templateId: 'template', passId: 'pass', body: {} };
    await commit({ ...acting, waitUntil }, [recordEvent(acting, event as never)]);
    await Promise.all(after);
    return queued.splice(0);
  };
  expect(await record('pass_created')).toEqual([]);
  expect(await record('pass_deleted')).toEqual([{ type: 'fan-out-events', accountId: ctx.account.id }]);
});
