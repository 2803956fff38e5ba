import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { events } from '../../../src/domain/events/table.ts';
import type { Job } from '../../../src/domain/jobs.ts';
import { MESSAGE_RETENTION_DAYS, purgeMessages } from '../../../src/domain/messages/delete-messages.ts';
import {
  ATTEMPTS_MAX,
  claimMessage as claim,
  LEASE_MS,
  settleMessage,
} from '../../../src/domain/messages/message-attempts.ts';
import { resendMessage } from '../../../src/domain/messages/message-log.ts';
import { recordProviderStatus } from '../../../src/domain/messages/record-provider-status.ts';
import { insertMessages, newMessage } from '../../../src/domain/messages/request-messages.ts';
import { resumeMessages } from '../../../src/domain/messages/resume-messages.ts';
import { type Message, messages } from '../../../src/domain/messages/table.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { firstUuidAt, uuidv7 } from '../../../src/platform/ids.ts';
import { failingOnce } from '../../support/failing-once.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { keepValues } from '../../support/kept-values.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

/* The states of a message when the process crashes at any point. */

const SENT = { outcome: 'sent', providerId: 'SM1' } as const;
const UNAVAILABLE = { outcome: 'unavailable', reason: 'busy' } as const;

let database: LocalDatabase;
let ctx: AccountContext;
let queued: Job[];
beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = await database.accountContext('Europe/Vienna');
  const run = (statement: string, params: string[]) =>
    database.d1
      .prepare(statement)
      .bind(...params)
      .run();
  await keepValues(run, ctx.account.id);
  ctx = withJobs(ctx, (jobs) => queued.push(...jobs));
  queued = [];
});
afterAll(() => database.close());

const claimMessage = (context: AccountContext, messageId: string) =>
  claim(context, { accountId: context.account.id, messageId });

async function stored(): Promise<string> {
  const pass = { id: uuidv7(), templateId: uuidv7() };
  const message = newMessage(ctx, pass, { channel: 'sms', kind: 'creation', recipient: '+436641234567' });
  await ctx.db.batch(insertMessages(ctx, [message], () => sql`true`) as [never]);
  return message.id;
}

const rowOf = async (id: string): Promise<Message> =>
  (await database.look.select().from(messages).where(eq(messages.id, id)))[0]!;

const told = async (id: string) =>
  (await database.look.select().from(events).where(sql`${events.body} ->> '$.messageId' = ${id}`)).map(
    ({ type, body }) => ({
      type,
      body,
    }),
  );

/** Runs the cron once the message is due again. Returns whether it queues the message. */
async function later(id: string): Promise<boolean> {
  await database.look
    .update(messages)
    .set({ dueAt: 1 })
    .where(sql`${messages.id} = ${id} and ${messages.dueAt} is not null`);
  queued = [];
  await resumeMessages(ctx);
  return queued.some((job) => job.type === 'send-message' && job.messageId === id);
}

describe('a message', () => {
  test('is claimed by one of fifty simultaneous jobs', async () => {
    const id = await stored();
    const taken = await Promise.all(Array.from({ length: 50 }, () => claimMessage(ctx, id)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await rowOf(id)).toMatchObject({ status: 'sending', attempts: 1 });
  });

  test('whose attempts are killed repeatedly fails after the last one, with one event', async () => {
    const id = await stored();
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      expect(await claimMessage(ctx, id)).toMatchObject({ attempts: attempt });
      // The Worker crashes here.
      expect(await later(id)).toBe(attempt < ATTEMPTS_MAX);
    }
    const ended = { status: 'failed', dueAt: null, statusDetails: 'The last attempt ended without a result' };
    expect(await rowOf(id)).toMatchObject(ended);
    expect(await later(id)).toBe(false);
    expect((await told(id)).map(({ type }) => type)).toEqual(['message_failed']);
    await resendMessage(ctx, id);
    expect(await later(id)).toBe(true);
    expect(await claimMessage(ctx, id)).toMatchObject({ attempts: ATTEMPTS_MAX + 1 });
  });

  test.each(['before', 'after'] as const)(
    'that was sent is recorded even if the database fails %s the write',
    async (when) => {
      const id = await stored();
      const claimed = (await claimMessage(ctx, id))!;
      await settleMessage({ ...ctx, ...openDatabase(failingOnce(database.d1, when)) }, claimed, SENT, null);
      expect(await rowOf(id)).toMatchObject({ status: 'sent', providerId: 'SM1' });
      expect((await told(id)).map(({ type }) => type)).toEqual(['message_sent']);
      expect(await later(id)).toBe(false);
    },
  );

  test('that was sent is recorded once, in its row and in an event of the same batch', async () => {
    const id = await stored();
    const claimed = (await claimMessage(ctx, id))!;
    await settleMessage(ctx, claimed, SENT, null);
    await settleMessage(ctx, claimed, SENT, null);
    const row = await rowOf(id);
    expect(row).toMatchObject({ status: 'sent', providerId: 'SM1', dueAt: null });
    expect(row.submittedAt).toBeGreaterThanOrEqual(row.createdAt);
    const [event, ...others] = await told(id);
    expect(others).toEqual([]);
    expect(event!.type).toBe('message_sent');
    expect(Object.keys(event!.body)).toEqual([
      'messageId',
      'channel',
      'recipient',
      'status',
      'statusDetails',
      'subject',
      'passInstanceId',
      'templateId',
      'createdOn',
      'submittedOn',
    ]);
    expect(await claimMessage(ctx, id)).toBeUndefined();
    expect(await later(id)).toBe(false);
  });

  test('that is rejected has failed, with the reason', async () => {
    const id = await stored();
    await settleMessage(ctx, (await claimMessage(ctx, id))!, { outcome: 'refused', reason: 'no such number' }, null);
    expect(await rowOf(id)).toMatchObject({ status: 'failed', statusDetails: 'no such number', dueAt: null });
    expect(await told(id)).toMatchObject([
      { type: 'message_failed', body: { status: 'failed', statusDetails: 'no such number', submittedOn: null } },
    ]);
    expect(await later(id)).toBe(false);
  });

  test('whose provider cannot be reached waits longer each time, and fails in the end', async () => {
    const id = await stored();
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 8; attempt++) {
      await settleMessage(ctx, (await claimMessage(ctx, id))!, UNAVAILABLE, null);
      const { status, dueAt } = await rowOf(id);
      if (status === 'failed') break;
      expect([attempt, status]).toEqual([attempt, 'waiting']);
      expect(await claimMessage(ctx, id), 'a second delivery of the job').toBeUndefined();
      waits.push(dueAt!);
      expect(await told(id)).toEqual([]);
      expect(await later(id)).toBe(true);
    }
    expect(waits).toHaveLength(7);
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(await rowOf(id)).toMatchObject({ status: 'failed', statusDetails: 'busy', attempts: 8 });
    expect((await told(id)).map(({ type }) => type)).toEqual(['message_failed']);
  });

  test('whose job was lost is queued again after its time', async () => {
    const id = await stored();
    queued = [];
    await resumeMessages(ctx);
    expect(queued).not.toContainEqual({ type: 'send-message', messageId: id });
    expect(await later(id)).toBe(true);
    expect(await claimMessage(ctx, id)).toBeDefined();
  });

  test('whose job crashed is sent again only when the lease has ended', async () => {
    const id = await stored();
    await claimMessage(ctx, id);
    const { dueAt } = await rowOf(id);
    expect(dueAt! - Date.now()).toBeGreaterThan(LEASE_MS / 2);
    expect(await later(id)).toBe(true);
    const second = (await claimMessage(ctx, id))!;
    expect(second.attempts).toBe(2);
    await settleMessage(ctx, second, SENT, null);
    expect((await told(id)).map(({ type }) => type)).toEqual(['message_sent']);
  });

  test('accepts the outcome of a slow attempt, unless another has started', async () => {
    const slow = await stored();
    const claimed = (await claimMessage(ctx, slow))!;
    await later(slow);
    await settleMessage(ctx, claimed, SENT, null);
    expect(await rowOf(slow)).toMatchObject({ status: 'sent' });

    const overtaken = await stored();
    const first = (await claimMessage(ctx, overtaken))!;
    await later(overtaken);
    await claimMessage(ctx, overtaken);
    await settleMessage(ctx, first, { outcome: 'refused', reason: 'late' }, null);
    expect(await rowOf(overtaken)).toMatchObject({ status: 'sending', attempts: 2 });
    expect(await told(overtaken)).toEqual([]);
  });
});

test('a resent message ignores reports about the failed attempt', async () => {
  const id = await stored();
  await settleMessage(ctx, (await claimMessage(ctx, id))!, SENT, null);
  const failed = { status: 'failed', providerId: 'SM1' } as const;
  await recordProviderStatus(ctx, id, failed);
  queued = [];
  await resendMessage(ctx, id);
  expect(queued).toEqual([{ type: 'send-message', accountId: ctx.account.id, messageId: id }]);
  await recordProviderStatus(ctx, id, failed);
  expect(await rowOf(id)).toMatchObject({ status: 'queued', submittedAt: null });
  await settleMessage(ctx, (await claimMessage(ctx, id))!, UNAVAILABLE, null);
  await recordProviderStatus(ctx, id, failed);
  expect((await rowOf(id)).status).toBe('waiting');
  await later(id);
  await settleMessage(ctx, (await claimMessage(ctx, id))!, { outcome: 'sent', providerId: 'SM2' }, null);
  await recordProviderStatus(ctx, id, failed);
  expect((await rowOf(id)).status).toBe('sent');
  await recordProviderStatus(ctx, id, { status: 'delivered', providerId: 'SM2' });
  expect((await rowOf(id)).status).toBe('delivered');
});

describe('a provider’s report', () => {
  const says = (id: string, status: 'sent' | 'delivered' | 'failed') =>
    recordProviderStatus(ctx, id, {
      status,
      providerId: SENT.providerId,
      details: status === 'failed' ? 'error 30003' : undefined,
    });

  async function sent(): Promise<string> {
    const id = await stored();
    await settleMessage(ctx, (await claimMessage(ctx, id))!, SENT, null);
    return id;
  }

  test.each([
    [['sent', 'delivered'], 'delivered', ['message_sent']],
    [['delivered', 'sent'], 'delivered', ['message_sent']],
    [['delivered', 'failed'], 'delivered', ['message_sent']],
    [['failed', 'delivered', 'sent', 'failed'], 'failed', ['message_sent', 'message_failed']],
  ] as const)('%j leaves the message %s', async (words, status, types) => {
    const id = await sent();
    for (const word of words) await says(id, word);
    expect((await rowOf(id)).status).toBe(status);
    expect((await told(id)).map(({ type }) => type)).toEqual(types);
  });

  test.each(['sent', 'delivered'] as const)('%s settles an unfinished attempt', async (word) => {
    const id = await stored();
    const claimed = (await claimMessage(ctx, id))!;
    await says(id, word);
    expect(await rowOf(id)).toMatchObject({ status: word, providerId: SENT.providerId, dueAt: null });
    expect(await later(id)).toBe(false);
    await settleMessage(ctx, claimed, UNAVAILABLE, null);
    expect((await told(id)).map(({ type }) => type)).toEqual(['message_sent']);
    expect((await rowOf(id)).status).toBe(word);
  });

  test('counts once if it arrives fifty times at once', async () => {
    const id = await sent();
    await Promise.all(Array.from({ length: 50 }, () => says(id, 'failed')));
    expect((await told(id)).map(({ type }) => type)).toEqual(['message_sent', 'message_failed']);
    expect(await rowOf(id)).toMatchObject({ status: 'failed', statusDetails: 'error 30003' });
  });

  test.each([uuidv7(), 'nonsense'])('on the unknown message %s is not found', async (id) => {
    await expect(says(id, 'sent')).rejects.toMatchObject({ kind: 'not_found' });
  });
});

test('old messages are deleted, but never while work on them is pending', async () => {
  const row = await rowOf(await stored());
  const day = 24 * 60 * 60_000;
  const at = (days: number, tail: string) => firstUuidAt(Date.now() - days * day).slice(0, -1) + tail;
  const [old, young, open] = [at(MESSAGE_RETENTION_DAYS + 1, '1'), at(MESSAGE_RETENTION_DAYS - 1, '2'), at(999, '3')];
  const rows = [old, young].map((id) => ({ ...row, id, status: 'sent' as const, dueAt: null }));
  await database.look.insert(messages).values([...rows, { ...row, id: open }]);
  await purgeMessages(ctx);
  const left = await database.look
    .select({ id: messages.id })
    .from(messages)
    .where(sql`${messages.id} in (${old}, ${young}, ${open})`);
  expect(left.map(({ id }) => id).sort()).toEqual([open, young].sort());
});

test('reading and writing one message costs a few rows, however many there are', async () => {
  const row = await rowOf(await stored());
  for (let page = 0; page < 20; page++) {
    const ids = JSON.stringify(Array.from({ length: 500 }, () => uuidv7()));
    await database.look.run(sql`insert into ${messages} select value, ${row.accountId}, value, ${row.templateId}, 'sms', 'creation',
      'x', null, 'sent', null, null, 1, null, 1, 1, 0 from json_each(${ids})`);
  }
  const id = await stored();
  const costOf = async (work: (ctx: AccountContext) => Promise<unknown>) => {
    const fresh = database.context();
    await work({ ...fresh, env: ctx.env, account: ctx.account });
    return fresh.meter;
  };
  let claimed: Message | undefined;
  const claim = await costOf(async (own) => {
    claimed = await claimMessage(own, id);
  });
  expect(claim.roundTrips).toBe(1);
  expect(claim.rowsRead).toBeLessThanOrEqual(3);
  const settle = await costOf((own) => settleMessage(own, claimed!, SENT, null));
  expect(settle.roundTrips).toBe(1);
  expect(settle.rowsRead).toBeLessThanOrEqual(6);
  expect((await costOf(resumeMessages)).rowsRead).toBeLessThanOrEqual(20);
  expect(
    (await costOf((own) => recordProviderStatus(own, id, { status: 'delivered', providerId: 'SM1' }))).rowsRead,
  ).toBeLessThanOrEqual(10);
});
