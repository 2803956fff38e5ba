import { and, eq } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { events } from './table.ts';

/** What is kept of an event that was told. */
export type KeptEvent = Pick<
  typeof events.$inferSelect,
  'id' | 'type' | 'body' | 'createdAt' | 'subscriptionId' | 'passId'
>;

/** The statement that reads an event of the account, for a batch with others. */
export function eventQuery(ctx: AccountContext, id: string) {
  const { type, body, createdAt, subscriptionId, passId } = events;
  return ctx.db
    .select({ id: events.id, type, body, createdAt, subscriptionId, passId })
    .from(events)
    .where(and(eq(events.id, id), eq(events.accountId, ctx.account.id)));
}
