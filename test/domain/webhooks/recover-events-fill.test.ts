import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { expandBody } from '../../../src/domain/events/compact-body.ts';
import { events } from '../../../src/domain/events/table.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { deletePass } from '../../../src/domain/passes/deletion/delete-pass.ts';
import { patchPass } from '../../../src/domain/passes/update-pass.ts';
import { continueRecovery, recoverEvents } from '../../../src/domain/webhooks/recover-events.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { queueTo, withJobs } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

/* If no webhook subscribes to an event, the pass's values aren't stored. */

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;
beforeAll(async () => {
  database = openMemoryDatabase();
  ctx = withJobs(await database.accountContext());
  ctx.env = { ...ctx.env, WEBHOOKS: queueTo() };
  templateId = await makeTemplate(ctx);
});
afterAll(() => database.close());

async function recordedOf(passId: string) {
  const rows = await database.look.select().from(events).where(eq(events.passId, passId)).orderBy(events.id);
  return rows.map(({ hasValues, pending, ...event }) => {
    const { userProvidedId } = expandBody({ ...event, body: JSON.stringify(event.body) }, '');
    return { name: userProvidedId, hasValues, pending };
  });
}

test('an event from before the webhook has the values of the pass when it is recovered; of a deleted pass, none', async () => {
  const { pass } = await createPass(ctx, templateId, { userProvidedId: 'first' }, { wait: true });
  const gone = await createPass(ctx, templateId, { userProvidedId: 'gone' }, { wait: true });
  await patchPass(ctx, pass.id, { userProvidedId: 'second' }, { wait: true });
  const unasked = { name: null, hasValues: null, pending: null };
  expect(await recordedOf(pass.id)).toEqual([unasked, unasked]);
  await deletePass(ctx, gone.pass.id, async () => {});
  const { id } = (await subscribe(ctx, { target_url: 'https://receiver.example.com/', event: 'pass_created' }))
    .subscription;
  await recoverEvents(ctx, id, { sinceAt: 0, untilAt: Date.UTC(2100, 0) });
  await continueRecovery(ctx, { accountId: ctx.account.id, subscriptionId: id });
  expect(await recordedOf(pass.id)).toEqual([{ ...unasked, name: 'second', hasValues: true }, unasked]);
  expect((await recordedOf(gone.pass.id))[0]).toEqual(unasked);
});

test('an event with a webhook has the values at its time, even while the webhook is paused', async () => {
  const own = withJobs(await database.accountContext());
  const template = await makeTemplate(own);
  await subscribe(own, { target_url: 'https://receiver.example.com/', event: 'pass_created' });
  const { pass } = await createPass(own, template, { userProvidedId: 'asked' }, { wait: true });
  expect(await recordedOf(pass.id)).toEqual([{ name: 'asked', hasValues: true, pending: 1 }]);
  await database.d1
    .prepare("update webhook_subscriptions set status = 'paused' where account_id = ?")
    .bind(own.account.id)
    .run();
  const paused = await createPass(own, template, { userProvidedId: 'paused' }, { wait: true });
  expect(await recordedOf(paused.pass.id)).toEqual([{ name: 'paused', hasValues: true, pending: null }]);
});
