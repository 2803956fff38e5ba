import { and, eq } from 'drizzle-orm';
import type { AccountContext, Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { writeOnce } from '../write-once.ts';
import { isOwnDeadLetter } from './own-dead-letter.ts';
import { recordLetters } from './record-letters.ts';
import { deadLetters } from './table.ts';

/** Deletes a failed job. One round trip; throws not found. */
export async function discardDeadLetter(ctx: Context | AccountContext, id: string): Promise<void> {
  const isTarget = and(isOwnDeadLetter(ctx), eq(deadLetters.id, id))!;
  const isGone = async () => {
    const left = await ctx.db.select({ id: deadLetters.id }).from(deadLetters).where(isTarget);
    return left.length === 0 ? true : undefined;
  };
  await writeOnce({}, isGone, async () => {
    const [, discarded] = await ctx.db.batch([
      recordLetters(ctx, 'failed_job.discard', isTarget),
      ctx.db.delete(deadLetters).where(isTarget).returning({ id: deadLetters.id }),
    ]);
    if (discarded.length === 0) throw notFound();
    return true;
  });
}
