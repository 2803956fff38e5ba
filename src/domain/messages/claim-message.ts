import { and, eq, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { type Message, messages } from './table.ts';

/** How long a job may take over one message; far longer than building it and waiting for a provider. */
export const LEASE_MS = 10 * 60_000;

/** Takes a message to send it; undefined when another has it, or nothing is left to do. Of any number of simultaneous calls one gets it. */
export async function claimMessage(ctx: Context, messageId: string): Promise<Message | undefined> {
  const [claimed] = await ctx.db
    .update(messages)
    .set({ status: 'sending', attempts: sql`${messages.attempts} + 1`, dueAt: Date.now() + LEASE_MS })
    .where(and(eq(messages.id, messageId), eq(messages.status, 'queued')))
    .returning();
  return claimed;
}
