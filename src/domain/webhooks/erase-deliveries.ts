import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { events } from '../events/table.ts';
import { ALL, inPages, PAGE_ROWS } from '../purge.ts';
import { webhookDeliveries, webhookPayloads, webhookSubscriptions } from './table.ts';

/**
 * SQL that holds for the row `events` while somebody has still to get it: a delivery is to be attempted, or a
 * payload waits to be fetched and acknowledged.
 */
export const isUndelivered: SQL = sql`(
  exists (select 1 from ${webhookSubscriptions} as asking cross join ${webhookDeliveries} as told
    on told.subscription_id = asking.id and told.event_id = ${events.id}
    where asking.account_id = ${events.accountId} and told.next_attempt_at is not null)
  or exists (select 1 from ${webhookPayloads} as open indexed by webhook_payloads_open_by_time
    where open.account_id = ${events.accountId} and open.triggered_at = ${events.createdAt}
      and open.acknowledged_at is null and open.event_id = ${events.id}))`;

/**
 * Erases what receivers have answered to deliveries about passes, once those have ended: an answer may repeat what it
 * answers.
 */
export async function eraseAnswersAbout(ctx: Context, passIds: string[]): Promise<void> {
  const ofPasses = sql`(select ${events.id} from ${events}
    where ${events.passId} in (select value from json_each(${JSON.stringify(passIds)})))`;
  const page = sql`(select rowid from ${webhookDeliveries} where event_id in ${ofPasses}
    and instr(attempts, '"answer"') > 0 and next_attempt_at is null limit ${PAGE_ROWS})`;
  const silent = sql`(select json_group_array(json_remove(attempt.value, '$.answer')) from json_each(${webhookDeliveries.attempts}) as attempt)`;
  const erase = () => ctx.db.update(webhookDeliveries).set({ attempts: silent }).where(sql`rowid in ${page}`);
  await inPages(async () => (await erase()).meta.changes, ALL);
}
