import { and, eq } from 'drizzle-orm';
import type { AccountContext, Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { isOwnDeadLetter } from './own-dead-letter.ts';
import { deadLetters } from './table.ts';

/** Forgets a job that failed for good. One round trip; throws not found. */
export async function discardDeadLetter(ctx: Context | AccountContext, id: string): Promise<void> {
  const discarded = await ctx.db
    .delete(deadLetters)
    .where(and(isOwnDeadLetter(ctx), eq(deadLetters.id, id)))
    .returning({ id: deadLetters.id });
  if (discarded.length === 0) throw notFound();
}
