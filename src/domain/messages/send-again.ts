import { and, eq } from 'drizzle-orm';
import { type AccountContext, handOver } from '../context.ts';
import { DomainError } from '../errors.ts';
import { getMessage } from './list-messages.ts';
import { HANDOVER_MS, messageJobs } from './request-messages.ts';
import { messages } from './table.ts';

/**
 * Sends a message again that has failed, to the same recipient, made anew from what pass and template say now. Of simultaneous calls one has an effect. The number of attempts goes on, so that an attempt from before
 * cannot be taken for the new one. Throws not found, and `conflict` for a message that has not failed.
 */
export async function sendMessageAgain(ctx: AccountContext, id: string): Promise<void> {
  const again = await ctx.db
    .update(messages)
    .set({ status: 'queued', statusDetails: null, submittedAt: null, dueAt: Date.now() + HANDOVER_MS })
    .where(and(eq(messages.id, id), eq(messages.accountId, ctx.account.id), eq(messages.status, 'failed')))
    .returning({ id: messages.id });
  if (again.length > 0) return handOver(ctx, messageJobs(again));
  await getMessage(ctx, id);
  throw new DomainError('conflict', 'Only a message that has failed can be sent again');
}
