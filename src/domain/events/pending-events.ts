import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { events } from './table.ts';

/**
 * SQL for the rows of the oldest events that await their deliveries, at most `limit`, in the order in which they were
 * committed.
 */
export function pendingEvents(limit: number): SQL {
  return sql`select * from ${events} where ${eq(events.pending, true)} order by ${events.key} limit ${limit}`;
}

/** The statement that notes that the events of `pendingEvents` have their deliveries; the last one of that batch. */
export function endFanOut(ctx: Context, page: SQL) {
  return ctx.db
    .update(events)
    .set({ pending: null })
    .where(inArray(events.key, sql`(select key from (${page}))`));
}
