import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { livesHere } from '../no-copies.ts';
import { events } from './table.ts';

/** SQL condition for events that await their deliveries. */
export const IS_PENDING = sql`${events.pending} is not null`;

/** SQL of the order in which pending events were committed. */
export const COMMIT_ORDER = sql.raw('pending, account_id, id');

/**
 * Builds the condition for events that await their deliveries in this database. Those of a copy await them where the
 * account lives.
 */
export function isPendingHere(): SQL {
  return sql`${IS_PENDING} and ${livesHere(events.accountId)}`;
}

/** Builds the query of the oldest events that await their deliveries here, at most `limit`, in order. */
export function pendingEvents(limit: number): SQL {
  return sql`select * from ${events} where ${isPendingHere()} order by ${COMMIT_ORDER} limit ${limit}`;
}

/**
 * Builds the statement that marks the events of `pendingEvents` as having their deliveries. It comes last in its batch.
 */
export function endFanOut(ctx: Context, page: SQL) {
  return ctx.db
    .update(events)
    .set({ pending: null })
    .where(sql`(account_id, id) in (select account_id, id from (${page}))`);
}
