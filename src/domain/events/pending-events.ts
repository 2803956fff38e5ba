import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { acceptsWrites } from '../moved.ts';
import { events } from './table.ts';

/** SQL condition for events that await their deliveries. */
export const IS_PENDING = sql`${events.pending} is not null`;

/** SQL of the order in which pending events were committed. */
export const COMMIT_ORDER = sql.raw('pending, account_id, id');

/**
 * Builds the condition for events whose deliveries this database can create now. Those of a copy get them where the
 * account lives. Those of an account that is being moved wait while its writes are refused: they would fail the batch
 * of all accounts.
 */
export function isPendingHere(): SQL {
  return sql`${IS_PENDING} and ${acceptsWrites(events.accountId)}`;
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
