import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { events } from './table.ts';

/** SQL that holds for events that await their deliveries. */
export const IS_PENDING = sql`${events.pending} is not null`;

/** SQL for the order in which pending events were committed. */
export const COMMIT_ORDER = sql.raw('pending, account_id, id');

/** SQL for the rows of the oldest events that await their deliveries, at most `limit`, in their order. */
export function pendingEvents(limit: number): SQL {
  return sql`select * from ${events} where ${IS_PENDING} order by ${COMMIT_ORDER} limit ${limit}`;
}

/** The statement that notes that the events of `pendingEvents` have their deliveries; the last one of that batch. */
export function endFanOut(ctx: Context, page: SQL) {
  return ctx.db
    .update(events)
    .set({ pending: null })
    .where(sql`(account_id, id) in (select account_id, id from (${page}))`);
}
