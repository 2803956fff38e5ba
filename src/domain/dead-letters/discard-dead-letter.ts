import { and, eq } from 'drizzle-orm';
import type { AccountContext, Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { isOwnDeadLetter } from './own-dead-letter.ts';
import { recordLetters } from './record-letters.ts';
import { deadLetters } from './table.ts';

/** Forgets a job that failed for good. One round trip; throws not found. */
export async function discardDeadLetter(ctx: Context | AccountContext, id: string): Promise<void> {
  const isIt = and(isOwnDeadLetter(ctx), eq(deadLetters.id, id))!;
  const [, discarded] = await ctx.db.batch([
    recordLetters(ctx, 'failed_job.discard', isIt),
    ctx.db.delete(deadLetters).where(isIt).returning({ id: deadLetters.id }),
  ]);
  if (discarded.length === 0) throw notFound();
}
