import { and, eq, not, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { isSuspended } from '../suspended.ts';
import { type Message, messages } from './table.ts';

/** How long a job may take over one message; far longer than building it and waiting for a provider. */
export const LEASE_MS = 10 * 60_000;

/** A message of an account. */
export interface NamedMessage {
  accountId: string;
  messageId: string;
}

/**
 * Takes a message to send it; undefined when another has it, nothing is left to do, or its account is suspended. Of any
 * number of simultaneous calls one gets it.
 */
export async function claimMessage(ctx: Context, { accountId, messageId }: NamedMessage): Promise<Message | undefined> {
  const [claimed] = await ctx.db
    .update(messages)
    .set({ status: 'sending', attempts: sql`${messages.attempts} + 1`, dueAt: Date.now() + LEASE_MS })
    .where(
      and(
        eq(messages.id, messageId),
        eq(messages.accountId, accountId),
        eq(messages.status, 'queued'),
        not(isSuspended(accountId)),
      ),
    )
    .returning();
  return claimed;
}
