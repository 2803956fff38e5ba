import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { eventsNamed } from './earlier-events.ts';
import { events } from './table.ts';

/** A delivered event as stored. */
export type KeptEvent = Pick<
  typeof events.$inferSelect,
  'id' | 'type' | 'body' | 'createdAt' | 'subscriptionId' | 'passId'
>;

/** A row of `eventQuery`; its body is JSON text. */
export type EventRow = Omit<KeptEvent, 'body'> & { body: string; linked: string | null };

/** Builds the statement that reads an event of the account, for use in a batch; `linked` is SQL over `events`. */
export function eventQuery(ctx: AccountContext, id: string, linked: SQL) {
  return rawStatement<EventRow>(
    ctx.db,
    sql`select ${events.id}, ${events.type}, ${events.body}, ${events.createdAt} as "createdAt",
      ${events.subscriptionId} as "subscriptionId", ${events.passId} as "passId", ${linked} as linked
      from ${eventsNamed(ctx.account.id, sql`(${id})`)}`,
  );
}
