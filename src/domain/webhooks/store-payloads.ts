import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Context } from '../context.ts';
import { webhookPayloads, webhookSubscriptions } from './table.ts';

/**
 * A UUID version 7 with the time of the event. SQLite randomizes its other bits; the last byte, the shard, is the
 * event's.
 */
const PAYLOAD_ID = sql.raw(
  `substr(event.id, 1, 14) || '7' || substr(lower(hex(randomblob(2))), 2) || '-8' || substr(lower(hex(randomblob(2))), 2)
    || '-' || lower(hex(randomblob(5))) || substr(event.id, -2)`,
);

/**
 * Builds the statement that stores a payload per event and pull subscription in `asking`, a join of `event` and
 * subscriptions, in the order of the events.
 */
export function storePayloads(ctx: Context, asking: SQL) {
  return rawStatement(
    ctx.db,
    sql`insert into ${webhookPayloads} (id, account_id, subscription_id, event_id, type, triggered_at)
      select ${PAYLOAD_ID}, event.account_id, ${webhookSubscriptions.id}, event.id, event.type, event.created_at
      from ${asking} and ${webhookSubscriptions.targetUrl} is null order by event.pending, event.id`,
  );
}
