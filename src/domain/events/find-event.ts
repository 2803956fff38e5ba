import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { eventsNamed } from './earlier-events.ts';
import { events } from './table.ts';

/** A delivered event as it is stored. */
export type KeptEvent = Pick<
  typeof events.$inferSelect,
  'id' | 'type' | 'body' | 'createdAt' | 'subscriptionId' | 'passId'
>;

/** A row of `eventQuery`; its body is a JSON text. */
export type EventRow = Omit<KeptEvent, 'body'> & { body: string; linked: string | null };

/** The statement that reads an event of the account, for a batch with others; `linked` is SQL over `events`. */
export function eventQuery(ctx: AccountContext, id: string, linked: SQL) {
  return rawStatement<EventRow>(
    ctx.db,
    sql`select ${events.id}, ${events.type}, ${events.body}, ${events.createdAt} as "createdAt",
      ${events.subscriptionId} as "subscriptionId", ${events.passId} as "passId", ${linked} as linked
      from ${eventsNamed(ctx.account.id, sql`(${id})`)}`,
  );
}
