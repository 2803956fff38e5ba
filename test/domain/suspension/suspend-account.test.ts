import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createAccount } from '../../../src/domain/accounts/create-account.ts';
import { authenticate } from '../../../src/domain/api-keys/authenticate.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { recordEvent } from '../../../src/domain/events/record-event.ts';
import type { DeliveryJob } from '../../../src/domain/jobs.ts';
import { claimMessage } from '../../../src/domain/messages/message-attempts.ts';
import { insertMessages, newMessage } from '../../../src/domain/messages/request-messages.ts';
import { resumeMessages } from '../../../src/domain/messages/resume-messages.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { patchPass } from '../../../src/domain/passes/update-pass.ts';
import { personWork } from '../../../src/domain/persons/person-work.ts';
import { applyProcessRange } from '../../../src/domain/processes/process-jobs.ts';
import type { ProcessFacts } from '../../../src/domain/processes/process-state.ts';
import { PUSH_LIFETIME_MS } from '../../../src/domain/pushes/push-jobs.ts';
import { resumePushes } from '../../../src/domain/pushes/resume-pushes.ts';
import { SUSPENDED_WAIT_MS } from '../../../src/domain/suspended.ts';
import { resumeAccount, suspendAccount } from '../../../src/domain/suspension/suspend-account.ts';
import { deliver } from '../../../src/domain/webhooks/deliver.ts';
import { sweepDeliveries } from '../../../src/domain/webhooks/purge-deliveries.ts';
import { subscribe } from '../../../src/domain/webhooks/subscribe.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { pushPasses } from '../../../src/wallets/apple/push-passes.ts';
import { copyRow } from '../../support/copy-row.ts';
import { d1Around } from '../../support/d1-over.ts';
import { type FakeQueue, queueTo, withQueue } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { heldCrowd } from '../pushes/held-crowd.ts';
import { makeTemplate } from '../search/crowd.ts';

/* What a suspension stops, and what continues once the account is resumed. */

let database: LocalDatabase;
let queue: FakeQueue;
beforeAll(async () => {
  database = await openLocalDatabase();
  queue = { jobs: [], isDown: false };
});
afterAll(() => database.close());
afterEach(() => vi.unstubAllGlobals());

const fresh = async () => withQueue(await database.accountContext(), queue);
const suspend = (ctx: AccountContext) => suspendAccount(ctx, ctx.account.id);
const resume = (ctx: AccountContext) => resumeAccount(ctx, ctx.account.id);

/** Returns the jobs that the cron queues. */
async function queuedBy(cron: () => Promise<void>): Promise<object[]> {
  queue.jobs = [];
  await cron();
  return queue.jobs;
}

describe('keys', () => {
  const isRefused = (apiKey: string) =>
    authenticate(database.context(), apiKey).then(
      (caller) => caller === undefined,
      (error) => /suspended/.test(error.message),
    );

  test('of the account and its sub-customers are rejected, and those of others are not', async () => {
    const top = await createAccount(database.context(), { name: 'Top' });
    const middle = await createAccount(database.context(), { name: 'Middle', parentAccountId: top.account.id });
    const low = await createAccount(database.context(), { name: 'Low', parentAccountId: middle.account.id });
    expect(low.account.ancestorIds).toEqual([top.account.id, middle.account.id]);
    const refused = () => Promise.all([top, middle, low].map(({ apiKey }) => isRefused(apiKey)));
    expect(await refused()).toEqual([false, false, false]);
    await suspendAccount(database.context(), middle.account.id);
    expect(await refused()).toEqual([false, true, true]);
    await suspendAccount(database.context(), top.account.id);
    expect(await refused()).toEqual([true, true, true]);
    // An account that was suspended directly stays suspended.
    await resumeAccount(database.context(), top.account.id);
    expect(await refused()).toEqual([false, true, true]);
    await resumeAccount(database.context(), middle.account.id);
    expect(await refused()).toEqual([false, false, false]);
  });

  test('of a sub-customer created during the suspension are rejected, too', async () => {
    const top = await createAccount(database.context(), { name: 'Top' });
    await suspendAccount(database.context(), top.account.id);
    const late = await createAccount(database.context(), { name: 'Late', parentAccountId: top.account.id });
    expect(await isRefused(late.apiKey)).toBe(true);
  });

  test('are checked in one round trip, whose rows a suspension does not add to', async () => {
    const { apiKey } = await createAccount(database.context(), { name: 'Cheap' });
    const ctx = database.context();
    await authenticate(ctx, apiKey);
    expect([ctx.meter.roundTrips, ctx.meter.rowsRead]).toEqual([1, 2]);
  });
});

describe('pending work', () => {
  test('includes messages: neither job nor cron sends them until the account is resumed', async () => {
    const ctx = await fresh();
    const message = newMessage(ctx, { id: uuidv7(), templateId: uuidv7() }, SMS);
    await ctx.db.batch(insertMessages(ctx, [message], () => sql`true`) as [never]);
    await suspend(ctx);
    expect(await claimMessage(ctx, { accountId: ctx.account.id, messageId: message.id })).toBeUndefined();
    await database.d1.prepare('update messages set due_at = 1 where id = ?').bind(message.id).run();
    const job = { type: 'send-message', accountId: ctx.account.id, messageId: message.id };
    expect(await queuedBy(() => resumeMessages(ctx))).not.toContainEqual(job);
    await resume(ctx);
    expect(await queuedBy(() => resumeMessages(ctx))).toContainEqual(job);
    expect(await claimMessage(ctx, { accountId: ctx.account.id, messageId: message.id })).toMatchObject({
      id: message.id,
    });
  });

  test('includes any number of messages: resuming makes 20 pages due, and the cron sends the others', async () => {
    const ctx = await fresh();
    await suspend(ctx);
    await waitingMessages(ctx, 20_500);
    await resume(ctx);
    expect(await countDue(ctx, Date.now())).toBe(20_000);
    expect(await countDue(ctx, Date.now() + SUSPENDED_WAIT_MS)).toBe(20_500);
    await database.d1.prepare('delete from messages where account_id = ?').bind(ctx.account.id).run();
  });

  test('is sent by the cron if the resumption is interrupted after the first page', async () => {
    const ctx = await fresh();
    await suspend(ctx);
    await waitingMessages(ctx, 1_500);
    await expect(resume(dyingAfterOnePage(ctx))).rejects.toThrow('died');
    expect(await countDue(ctx, Date.now())).toBe(1_000);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + SUSPENDED_WAIT_MS });
    const sent = await queuedBy(() => resumeMessages(ctx)).finally(() => vi.useRealTimers());
    expect(sent.filter((job) => (job as { accountId?: string }).accountId === ctx.account.id)).toHaveLength(1_500);
  });

  test('includes pushes: they are kept, however long the suspension lasts', async () => {
    const ctx = await fresh();
    const templateId = await heldCrowd(ctx, 1);
    const pass = await database.d1
      .prepare('select id from passes where template_id = ? and number_of_active > 0')
      .bind(templateId)
      .first<{ id: string }>();
    const job = { type: 'push-passes' as const, accountId: ctx.account.id, passIds: [pass!.id] };
    await suspend(ctx);
    await patchPass(ctx, pass!.id, { storedValue: 7 }, { wait: false });
    await pushPasses(ctx, job);
    const pending = () =>
      database.d1.prepare('select claim, attempts from requested_pushes where pass_id = ?').bind(pass!.id).all();
    expect((await pending()).results).toEqual([{ claim: null, attempts: 0 }]);
    for (let days = 1; days <= 3; days++) {
      const later = Date.now() + days * (PUSH_LIFETIME_MS / 2);
      expect(await queuedBy(() => resumePushes(ctx, later))).not.toContainEqual(job);
    }
    await resume(ctx);
    expect(await queuedBy(() => resumePushes(ctx))).toContainEqual(job);
  });

  test('includes webhooks: deliveries are created, and attempted once the account is resumed', async () => {
    const received: string[] = [];
    vi.stubGlobal('fetch', async (url: string) => {
      received.push(url);
      return new Response();
    });
    const account = await fresh();
    const woken: DeliveryJob[] = [];
    const ctx = { ...account, env: { ...account.env, WEBHOOKS: queueTo<DeliveryJob>((all) => woken.push(...all)) } };
    const target_url = `https://receiver.example.com/${ctx.account.id}`;
    const { subscription } = await subscribe(ctx, { target_url, event: 'pass_deleted', retryEnabled: true });
    ctx.account.hasWebhooks = true;
    await recordEvent(ctx, { type: 'pass_deleted', passId: uuidv7(), templateId: uuidv7(), body: {} as never });
    await suspend(ctx);
    const accountId = ctx.account.id;
    const deliveryJob = { type: 'deliver-webhooks', accountId, subscriptionId: subscription.id } as const;
    await deliver(ctx, [{ type: 'fan-out-events', accountId }, deliveryJob]);
    woken.length = 0;
    await sweepDeliveries(ctx);
    expect([received, woken.includes(deliveryJob)]).toEqual([[], false]);
    await resume(ctx);
    await sweepDeliveries(ctx);
    expect(woken).toContainEqual(deliveryJob);
    await deliver(ctx, [deliveryJob]);
    expect(received).toEqual([target_url]);
  });

  test('includes processes: a range is returned as if unclaimed, and nothing is written', async () => {
    const ctx = await fresh();
    const templateId = await makeTemplate(ctx);
    const { pass } = await createPass(ctx, templateId, { userProvidedId: 'one' }, { wait: false });
    const calls: string[] = [];
    const apply = async (operation: ProcessFacts['operation'], item: object) => {
      const id = uuidv7();
      const facts: ProcessFacts = { ...FACTS, id, account: ctx.account, operation };
      const note = (name: string) => async () => void calls.push(name);
      const object = {
        claim: async () => ({ claim: 1, facts: JSON.stringify(facts), items: JSON.stringify([{ seq: 0, ...item }]) }),
        ...{ pause: note('pause'), report: note('report'), giveBack: note('give back') },
      };
      const PROCESSES = { idFromName: String, get: () => object } as never;
      const worker = { ...ctx, env: { ...ctx.env, PROCESSES } };
      const job = { type: 'apply-process-range' as const, accountId: ctx.account.id, processId: id, first: 0, last: 0 };
      await applyProcessRange(
        worker,
        job,
        personWork(async () => {}),
      );
    };
    const update = () => apply({ kind: 'update', mode: 'patch', data: { storedValue: 3 } }, { key: pass.id });
    const create = () => apply({ kind: 'create', templateId }, { key: '0', passId: uuidv7(), data: {} });
    const count = () =>
      database.d1
        .prepare('select count(*) as n, sum(stored_value) as sum from passes where template_id = ?')
        .bind(templateId)
        .first();
    await suspend(ctx);
    await update();
    await create();
    expect([calls, await count()]).toEqual([['pause', 'pause'], { n: 1, sum: null }]);
    await resume(ctx);
    await update();
    await create();
    expect([calls.slice(2), await count()]).toEqual([['report', 'report'], { n: 2, sum: 3 }]);
  });
});

const SMS = { channel: 'sms', kind: 'creation', recipient: '+436641234567' } as const;
const FACTS = { baseUrl: 'https://passes.example', rangeItems: 100, createdAt: 1 };

/** Adds messages of a suspended account, as the cron postpones them. */
async function waitingMessages(ctx: AccountContext, rows: number): Promise<void> {
  const message = newMessage(ctx, { id: uuidv7(), templateId: uuidv7() }, SMS);
  await ctx.db.batch(insertMessages(ctx, [message], () => sql`true`) as [never]);
  const run = async <Row>(text: string, params: unknown[]) =>
    (
      await database.d1
        .prepare(text)
        .bind(...params)
        .all<Row>()
    ).results;
  const dueAt = Date.now() + SUSPENDED_WAIT_MS;
  await run('update messages set due_at = ? where id = ?', [dueAt, message.id]);
  const own = { id: "printf('%s%012x', substr(id, 1, 24), numbers.value)" };
  await copyRow(run, { table: 'messages', where: 'id = ?', params: [message.id], rows: rows - 1, own });
}

async function countDue(ctx: AccountContext, now: number): Promise<number> {
  const text = 'select count(*) as n from messages where account_id = ? and due_at <= ?';
  return (await database.d1.prepare(text).bind(ctx.account.id, now).first<{ n: number }>())!.n;
}

/** A Worker that dies with the second page of messages. */
function dyingAfterOnePage(ctx: AccountContext): AccountContext {
  let pages = 0;
  const DB = d1Around(database.d1, async (work, statements) => {
    if (statements.some(({ sql }) => sql.startsWith('update "messages"')) && pages++ > 0) throw new Error('died');
    return work();
  });
  return { ...ctx, ...openDatabase(DB), env: { ...ctx.env, DB } };
}
