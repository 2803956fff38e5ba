import { and, eq, type SQL } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { events } from './table.ts';

/** What is kept of a delivered event. */
export type KeptEvent = Pick<
  typeof events.$inferSelect,
  'id' | 'type' | 'body' | 'createdAt' | 'subscriptionId' | 'passId'
>;

/** The statement that reads an event of the account, for a batch with others; `also` is SQL over `events`. */
export function eventQuery<Also extends Record<string, SQL.Aliased>>(ctx: AccountContext, id: string, also: Also) {
  const { type, body, createdAt, subscriptionId, passId } = events;
  return ctx.db
    .select({ id: events.id, type, body, createdAt, subscriptionId, passId, ...also })
    .from(events)
    .where(and(eq(events.id, id), eq(events.accountId, ctx.account.id)));
}
