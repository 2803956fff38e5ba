import { and, eq, gt, inArray, type SQL } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { messages } from './table.ts';

/** The statement that makes messages of the selected accounts due which waited while these were suspended. */
export function wakeMessages(ctx: Context, accountIds: SQL) {
  const now = Date.now();
  return ctx.db
    .update(messages)
    .set({ dueAt: now })
    .where(and(gt(messages.dueAt, now), eq(messages.status, 'queued'), inArray(messages.accountId, accountIds)));
}
