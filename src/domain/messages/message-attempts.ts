import { and, eq, inArray, not, type SQL, sql } from 'drizzle-orm';
import { formatDateTime } from '../../platform/dates.ts';
import type { SendResult } from '../../platform/mail.ts';
import { withRetries } from '../../platform/transient-error.ts';
import { commit } from '../commit.ts';
import type { AccountContext, Context } from '../context.ts';
import { recordAtHome } from '../databases/follow-moves.ts';
import { type NewEvent, recordEvent } from '../events/record-event.ts';
import { isSuspended } from '../suspended.ts';
import { writeOnce } from '../write-once.ts';
import { type Message, messages } from './table.ts';

/** Lease of a job on one message; far longer than it takes to build it and wait for a provider. */
export const LEASE_MS = 10 * 60_000;
const LEASE_JITTER_MS = 60_000;

/** Identifies a message of an account. */
export interface NamedMessage {
  accountId: string;
  messageId: string;
}

/**
 * Claims a message to send it; undefined if another job has it, nothing is left to do, or its account is suspended.
 * Only one of any number of simultaneous calls gets it.
 */
export async function claimMessage(ctx: Context, { accountId, messageId }: NamedMessage): Promise<Message | undefined> {
  // Random, so that a claim whose response was lost is recognized.
  const dueAt = Date.now() + LEASE_MS + Math.floor(Math.random() * LEASE_JITTER_MS);
  const isTarget = and(eq(messages.id, messageId), eq(messages.accountId, accountId));
  const isMine = and(isTarget, eq(messages.status, 'sending'), eq(messages.dueAt, dueAt));
  const find = async () => (await ctx.db.select().from(messages).where(isMine))[0];
  return writeOnce({}, find, async () => {
    const [claimed] = await ctx.db
      .update(messages)
      .set({ status: 'sending', attempts: sql`${messages.attempts} + 1`, dueAt })
      .where(and(isTarget, eq(messages.status, 'queued'), not(isSuspended(accountId))))
      .returning();
    return claimed;
  });
}

/** Minutes after each attempt until the next one; after the last one the message fails. */
const RETRY_MINUTES = [1, 5, 30, 120, 360, 720, 1_440];
/** Maximum number of attempts at a message. */
export const ATTEMPTS_MAX = RETRY_MINUTES.length + 1;

/**
 * Stores the result of an attempt, with its event in the same batch; retries this, because the message would be sent
 * again. Does nothing if a provider's status or a later attempt settled the message meanwhile. Returns the message as
 * this attempt leaves it.
 */
export async function settleMessage(
  ctx: AccountContext,
  claimed: Message,
  result: SendResult,
  subject: string | null,
): Promise<Message> {
  const after = { ...claimed, subject, ...stateAfter(result, claimed.attempts) };
  const { status, statusDetails, providerId, dueAt, submittedAt } = after;
  // An expired lease puts the message back in the queue; until it is claimed there, the result of this attempt counts.
  const mine = and(
    eq(messages.id, claimed.id),
    eq(messages.accountId, claimed.accountId),
    eq(messages.attempts, claimed.attempts),
    inArray(messages.status, ['sending', 'queued']),
  )!;
  const update = ({ db }: AccountContext) =>
    db.update(messages).set({ subject, status, statusDetails, providerId, dueAt, submittedAt }).where(mine);
  if (status === 'waiting') {
    await recordAtHome(ctx, ctx.account.id, async (home) => update(home));
    return after;
  }
  const type = status === 'failed' ? 'message_failed' : 'message_sent';
  // The event comes first: after the update, nothing would show which attempt made it.
  const note = (home: AccountContext) => {
    const event = { ...messageEvent(home, type, after), condition: messageExists(mine) };
    return commit(home, [recordEvent(home, event), update(home)]);
  };
  await withRetries(() => recordAtHome(ctx, ctx.account.id, note));
  return after;
}

function messageExists(condition: SQL): SQL {
  return sql`exists (select 1 from ${messages} where ${condition})`;
}

type State = Pick<Message, 'status' | 'statusDetails' | 'dueAt' | 'submittedAt'> & Partial<Pick<Message, 'providerId'>>;

function stateAfter(result: SendResult, attempts: number): State {
  const now = Date.now();
  // The identifier of an earlier sending stays until the provider returns one for this one.
  const open = { dueAt: null, submittedAt: null };
  switch (result.outcome) {
    case 'sent': {
      const { providerId, note = null } = result;
      return { ...open, status: 'sent', statusDetails: note, providerId, submittedAt: now };
    }
    case 'refused':
      return { ...open, status: 'failed', statusDetails: result.reason };
    case 'unavailable': {
      const minutes = RETRY_MINUTES[attempts - 1];
      if (minutes === undefined) return { ...open, status: 'failed', statusDetails: result.reason };
      return { ...open, status: 'waiting', statusDetails: result.reason, dueAt: now + minutes * 60_000 };
    }
  }
}

/** Builds the event with the result of a message. Times are in the account's time zone. */
export function messageEvent(ctx: AccountContext, type: 'message_sent' | 'message_failed', message: Message): NewEvent {
  const { timezone } = ctx.account;
  return {
    type,
    templateId: message.templateId,
    passId: message.passId,
    body: {
      messageId: message.id,
      channel: message.channel,
      recipient: message.recipient,
      status: message.status,
      statusDetails: message.statusDetails,
      subject: message.subject,
      passInstanceId: message.passId,
      templateId: message.templateId,
      createdOn: formatDateTime(message.createdAt, timezone),
      submittedOn: message.submittedAt === null ? null : formatDateTime(message.submittedAt, timezone),
    },
  };
}
