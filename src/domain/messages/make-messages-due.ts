import { and, eq, gt, inArray, type SQL } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { pageOf } from '../purge.ts';
import { messages } from './table.ts';

/**
 * Builds the statement that makes a page of messages due which waited while the selected accounts were suspended. `now`
 * is the same for all pages.
 */
export function makeMessagesDue(ctx: Context, accountIds: SQL, now: number) {
  return ctx.db
    .update(messages)
    .set({ dueAt: now })
    .where(
      pageOf(
        messages,
        and(gt(messages.dueAt, now), eq(messages.status, 'queued'), inArray(messages.accountId, accountIds)),
      ),
    );
}
