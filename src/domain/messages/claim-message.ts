import { and, eq, not, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
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
