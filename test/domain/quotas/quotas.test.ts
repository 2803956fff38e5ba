import { eq, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, createSubCustomer } from '../../../src/domain/accounts/create-account.ts';
import { actForAccount } from '../../../src/domain/accounts/find-account.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { claimMessage, settleMessage } from '../../../src/domain/messages/message-attempts.ts';
import { resendMessage } from '../../../src/domain/messages/message-log.ts';
import { insertMessages, newMessage } from '../../../src/domain/messages/request-messages.ts';
import { messages } from '../../../src/domain/messages/table.ts';
import { createPasses } from '../../../src/domain/passes/bulk/bulk-create.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { deleteTemplatePasses } from '../../../src/domain/passes/deletion/delete-all-passes.ts';
import { deletePass } from '../../../src/domain/passes/deletion/delete-pass.ts';
import { notifyQuotaOwners } from '../../../src/domain/quota-mails/notify-quota-owners.ts';
import { datePeriods } from '../../../src/domain/quotas/date-periods.ts';
import { listQuotas } from '../../../src/domain/quotas/list-quotas.ts';
import { type QuotaSettings, setQuotas } from '../../../src/domain/quotas/set-quotas.ts';
import { accountQuotas, type Quota } from '../../../src/domain/quotas/table.ts';
import { deleteTemplate } from '../../../src/domain/templates/delete-template.ts';
import { inviteUser } from '../../../src/domain/users/invite-user.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

/* Quotas hold for fifty simultaneous changes, and include the usage of sub-customers. */

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const CONTACT = { contact: { lastName: 'Hopper' } };

async function accountWith(quotas: QuotaSettings = {}, timezone?: string): Promise<AccountContext> {
  const ctx = withJobs(await database.accountContext(timezone));
  await setQuotas(ctx, quotas);
  return ctx;
}

test('quotas of messages and requests start a period when they are set; others have no period', async () => {
  const before = Date.now();
  const { account } = await accountWith({ passes: 10, activePasses: 10, subCustomers: 1, messages: 5, requests: 60 });
  const { quota, periodEndsAt } = accountQuotas;
  const rows = await database.look
    .select({ quota, periodEndsAt })
    .from(accountQuotas)
    .where(eq(accountQuotas.accountId, account.id));
  const ends = Object.fromEntries(rows.map((row) => [row.quota, row.periodEndsAt]));
  expect(ends).toMatchObject({ passes: null, activePasses: null, subCustomers: null });
  for (const end of [ends.messages, ends.requests]) expect(end).toBeLessThanOrEqual(-before);
});

async function below(parent: AccountContext, quotas: QuotaSettings = {}): Promise<AccountContext> {
  const { account } = await createSubCustomer(parent, { name: 'Below', ...CONTACT });
  const ctx = withJobs(await actForAccount(database.context(), account.id));
  await setQuotas(ctx, quotas);
  return ctx;
}

const fifty = <T>(work: (i: number) => Promise<T>) => Promise.allSettled(Array.from({ length: 50 }, (_, i) => work(i)));
const reasons = (results: PromiseSettledResult<unknown>[]) => [
  ...new Set(results.flatMap((result) => (result.status === 'rejected' ? [result.reason.message] : []))),
];
const fulfilled = (results: PromiseSettledResult<unknown>[]) =>
  results.filter(({ status }) => status === 'fulfilled').length;

async function quotaOf(ctx: AccountContext, quota: Quota) {
  return (await listQuotas(ctx)).find((one) => one.quota === quota)!;
}
const usedOf = async (ctx: AccountContext, quota: Quota) => (await quotaOf(ctx, quota)).used;

describe('passes', () => {
  const create = async (ctx: AccountContext, templateId: string) =>
    createPass({ ...ctx, ...database.context(), env: ctx.env, account: ctx.account }, templateId, {}, { wait: false });

  test('are created up to the quota by fifty requests at once', async () => {
    const ctx = await accountWith({ passes: 7 });
    const templates = [await makeTemplate(ctx), await makeTemplate(ctx)];
    const results = await fifty((i) => create(ctx, templates[i % 2]!));
    expect([fulfilled(results), reasons(results)]).toEqual([7, ['quota exceeded: passes']]);
    expect(await usedOf(ctx, 'passes')).toBe(7);
  });

  test('of sub-customers count for all parents, whose quotas limit a larger one of their own', async () => {
    const top = await accountWith({ passes: 5 });
    const middle = await below(top);
    const low = await below(middle, { passes: 50 });
    const [ofTop, ofLow] = [await makeTemplate(top), await makeTemplate(low)];
    const results = await fifty((i) => (i % 2 === 0 ? create(top, ofTop) : create(low, ofLow)));
    expect([fulfilled(results), reasons(results)]).toEqual([5, ['quota exceeded: passes']]);
    expect(await quotaOf(top, 'passes')).toEqual({ quota: 'passes', max: 5, used: 5 });
    expect((await quotaOf(low, 'passes')).max).toBe(5);
  });

  test('that are deleted make room, one by one and with their template', async () => {
    const ctx = await accountWith({ passes: 3 });
    const [one, two] = [await makeTemplate(ctx), await makeTemplate(ctx)];
    const { pass } = await create(ctx, one);
    for (const templateId of [two, two]) await create(ctx, templateId);
    await expect(create(ctx, one)).rejects.toThrow('quota exceeded: passes');
    await Promise.allSettled(Array.from({ length: 3 }, () => deletePass(ctx, pass.id, async () => {})));
    expect(await usedOf(ctx, 'passes')).toBe(2);
    await deleteTemplate(ctx, two);
    await deleteTemplatePasses(ctx, { accountId: ctx.account.id, templateId: two }, async () => {});
    expect(await usedOf(ctx, 'passes')).toBe(0);
  });

  test('that already exist are counted when the quota is set, including those of a deleted template', async () => {
    const top = await accountWith();
    const low = await below(top);
    const [ofTop, ofLow, doomed] = [await makeTemplate(top), await makeTemplate(low), await makeTemplate(top)];
    for (const templateId of [ofTop, ofTop, doomed]) await create(top, templateId);
    await create(low, ofLow);
    await deleteTemplate(top, doomed);
    await setQuotas(top, { passes: 10 });
    expect(await usedOf(top, 'passes')).toBe(4);
    await deleteTemplatePasses(top, { accountId: top.account.id, templateId: doomed }, async () => {});
    expect(await usedOf(top, 'passes')).toBe(3);
    await setQuotas(top, { passes: null });
    expect(await quotaOf(top, 'passes')).toEqual({ quota: 'passes', max: null, used: null });
  });

  test('of a bulk create fail individually beyond it', async () => {
    const ctx = await accountWith({ passes: 30 });
    const templateId = await makeTemplate(ctx);
    const items = Array.from({ length: 40 }, (_, seq) => ({ seq, passId: uuidv7(), sent: {} }));
    const ledger = {
      query: () => ctx.db.select({ items: sql<number[]>`'[]'` }).from(sql`(select 1 where false)`),
      note: () => ctx.db.select({ one: sql`1` }).from(sql`(select 1)`),
    };
    const failed = await createPasses(ctx, templateId, items, ledger as never);
    expect(failed.flatMap(({ issues }) => issues.map(({ message }) => message))).toEqual(
      Array(10).fill('quota exceeded: passes'),
    );
    expect(await usedOf(ctx, 'passes')).toBe(30);
  });
});

describe('messages', () => {
  const SMS = { channel: 'sms', kind: 'creation', recipient: '+436641234567' } as const;
  const ask = async (ctx: AccountContext, count = 1, now?: number) => {
    const list = Array.from({ length: count }, () => newMessage(ctx, { id: uuidv7(), templateId: uuidv7() }, SMS));
    await ctx.db.batch(
      insertMessages(ctx, list, () => sql`true`, now) as BatchItem<'sqlite'>[] as [BatchItem<'sqlite'>],
    );
    return list.map(({ id }) => id);
  };
  const overIn = async (ctx: AccountContext) =>
    (await ctx.db.select().from(messages).where(eq(messages.accountId, ctx.account.id))).filter(
      (row) => row.isOverQuota,
    ).length;

  test('are sent up to the quota if fifty changes are simultaneous, and in order within a change', async () => {
    const ctx = await accountWith({ messages: 7 });
    await fifty(() => ask(ctx));
    expect([await overIn(ctx), await usedOf(ctx, 'messages')]).toEqual([43, 7]);
    const other = await accountWith({ messages: 7 });
    await ask(other, 10);
    expect([await overIn(other), await usedOf(other, 'messages')]).toEqual([3, 7]);
  });

  test('are a thousand a day by default', async () => {
    const ctx = await accountWith();
    expect(await quotaOf(ctx, 'messages')).toEqual({ quota: 'messages', max: 1_000, used: 0 });
    for (let hundred = 0; hundred < 10; hundred++) await ask(ctx, 100);
    await ask(ctx, 3);
    expect([await overIn(ctx), await usedOf(ctx, 'messages')]).toEqual([3, 1_000]);
    await setQuotas(ctx, { messages: null });
    await ask(ctx, 5);
    expect([await overIn(ctx), await usedOf(ctx, 'messages')]).toEqual([3, 1_005]);
  });

  test('of sub-customers count for all parents', async () => {
    const top = await accountWith({ messages: 5 });
    const low = await below(await below(top), { messages: 50 });
    await fifty((i) => ask(i % 2 === 0 ? top : low));
    expect([(await overIn(top)) + (await overIn(low)), await usedOf(top, 'messages')]).toEqual([45, 5]);
  });

  test('restart at midnight in the account’s time zone', async () => {
    const ctx = await accountWith({ messages: 2 }, 'Pacific/Auckland');
    // Auckland is 13 hours ahead in November: its day ends at 11:00 UTC.
    const at = (hour: number) => Date.UTC(2026, 10, 20, hour);
    await ctx.db.delete(accountQuotas).where(eq(accountQuotas.accountId, ctx.account.id));
    await ctx.db.insert(accountQuotas).values({
      ...{ accountId: ctx.account.id, quota: 'messages', max: 2, used: 0, notifiedPercent: 0, periodEndsAt: -at(9) },
    });
    await ask(ctx, 2, at(10));
    await datePeriods(ctx);
    const periodEnd = async () =>
      (await ctx.db.select().from(accountQuotas).where(eq(accountQuotas.accountId, ctx.account.id)))[0]!.periodEndsAt;
    expect(await periodEnd()).toBe(at(11));
    await ask(ctx, 1, at(11) - 1);
    expect(await overIn(ctx)).toBe(1);
    await ask(ctx, 2, at(11));
    expect(await overIn(ctx)).toBe(1);
    await ask(ctx, 1, at(11) + 1);
    expect(await overIn(ctx)).toBe(2);
    await datePeriods(ctx);
    expect(await periodEnd()).toBe(at(11) + 24 * 60 * 60_000);
  });

  test('that are resent count again, once each time', async () => {
    const ctx = await accountWith({ messages: 2 });
    const [id] = await ask(ctx);
    await settleMessage(
      ctx,
      (await claimMessage(ctx, { accountId: ctx.account.id, messageId: id! }))!,
      { outcome: 'refused', reason: 'no such number' },
      null,
    );
    const results = await fifty(() => resendMessage(ctx, id!));
    expect([fulfilled(results), await usedOf(ctx, 'messages')]).toEqual([1, 2]);
    const claimed = await claimMessage(ctx, { accountId: ctx.account.id, messageId: id! });
    expect(claimed).toMatchObject({ isOverQuota: false, statusDetails: null });
    await settleMessage(ctx, claimed!, { outcome: 'refused', reason: 'no such number' }, null);
    await resendMessage(ctx, id!);
    expect(await claimMessage(ctx, { accountId: ctx.account.id, messageId: id! })).toMatchObject({ isOverQuota: true });
    expect(await usedOf(ctx, 'messages')).toBe(2);
  });
});

describe('sub-customers', () => {
  const create = (ctx: AccountContext) => createSubCustomer(ctx, { name: 'New', ...CONTACT });

  test('are created up to the quota by fifty requests at once, each with its key', async () => {
    const ctx = await accountWith({ subCustomers: 7 });
    const results = await fifty(() => create(ctx));
    expect([fulfilled(results), reasons(results)]).toEqual([7, ['quota exceeded: sub-customers']]);
    const made = await database.d1
      .prepare(
        'select count(*) as n, count(k.id) as keys from accounts a left join api_keys k on k.account_id = a.id where parent_account_id = ?',
      )
      .bind(ctx.account.id)
      .first();
    expect(made).toEqual({ n: 7, keys: 7 });
    const orphans = 'select count(*) as n from api_keys where account_id not in (select id from accounts)';
    expect(await database.d1.prepare(orphans).first()).toEqual({ n: 0 });
  });

  test('are a hundred by default, including those of sub-customers', async () => {
    const top = await accountWith();
    const middle = await below(top);
    await createAccount(database.context(), { name: 'Made by the operator', parentAccountId: top.account.id });
    await fifty(() => create(top));
    const results = await fifty(() => create(middle));
    // One was created without being counted, and one is the account in the middle itself.
    expect([fulfilled(results), reasons(results)]).toEqual([49, ['quota exceeded: sub-customers']]);
    expect(await usedOf(top, 'subCustomers')).toBe(100);
    expect(await usedOf(middle, 'subCustomers')).toBe(49);
  });
});

describe('owners', () => {
  test('are notified at 80 and at 100 percent, once each', async () => {
    const ctx = await accountWith({ passes: 10 });
    const email = `owner@${ctx.account.id}.example.com`;
    await inviteUser(ctx, { email, privileges: ['owner'] });
    const templateId = await makeTemplate(ctx);
    const local = { ...ctx, env: { ...ctx.env, ADMIN_TOKEN: 'local', FILES: { put: async () => null } as never } };
    const told = async () => {
      await notifyQuotaOwners(local);
      const sent = await database.d1
        .prepare('select subject, text from outbox_items where recipient = ? order by key')
        .bind(email)
        .all<{ subject: string; text: string }>();
      for (const { text } of sent.results) expect(text).toContain(`Account: ${ctx.account.name}\n`);
      return sent.results.map(({ subject }) => subject);
    };
    const create = () => createPass(ctx, templateId, {}, { wait: false });
    for (let i = 0; i < 7; i++) await create();
    expect(await told()).toEqual([]);
    const { pass } = await create();
    expect(await told()).toEqual(['80% of a quota used: passes']);
    // Crossing the mark again sends no second warning.
    await deletePass(ctx, pass.id, async () => {});
    await create();
    await create();
    expect(await told()).toHaveLength(1);
    await create();
    expect(await told()).toEqual(['80% of a quota used: passes', 'Quota used up: passes']);
    await expect(create()).rejects.toThrow('quota exceeded');
    expect(await told()).toHaveLength(2);
  });
});

test('cost an account without quotas only the statement that finds none', async () => {
  const ctx = await accountWith();
  const templateId = await makeTemplate(ctx);
  await createPass(ctx, templateId, {}, { wait: false });
  const plan = await database.d1
    .prepare("explain query plan update account_quotas set used = 1 where account_id = ? and quota = 'passes'")
    .bind(ctx.account.id)
    .all();
  expect(JSON.stringify(plan.results)).toContain('SEARCH account_quotas USING INDEX');
  const rows = await ctx.db.select().from(accountQuotas).where(eq(accountQuotas.accountId, ctx.account.id));
  expect(rows).toEqual([]);
});
