import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import type { EventSelection } from '../events/erase-events.ts';
import { earlierEvents, events } from '../events/table.ts';
import { ALL, pageOf, runInPages } from '../purge.ts';
import { earlierDeliveries, webhookDeliveries, webhookPayloads, webhookSubscriptions } from './table.ts';

/**
 * Builds the condition for events that are still undelivered: deliveries must be created, one must be attempted, or a
 * payload waits for its acknowledgment.
 */
export function isUndelivered({ id, accountId, createdAt, pending }: typeof events | typeof earlierEvents): SQL {
  const isWaitingIn = (table: typeof webhookDeliveries | typeof earlierDeliveries) =>
    sql`exists (select 1 from ${webhookSubscriptions} as asking cross join ${table} as delivery
      on delivery.subscription_id = asking.id and delivery.event_id = ${id}
      where asking.account_id = ${accountId} and delivery.next_attempt_at is not null)`;
  return sql`(${pending} is not null
    or ${isWaitingIn(webhookDeliveries)} or ${isWaitingIn(earlierDeliveries)}
    or exists (select 1 from ${webhookPayloads} as open indexed by webhook_payloads_open_by_time
      where open.account_id = ${accountId} and open.triggered_at = ${createdAt}
        and open.acknowledged_at is null and open.event_id = ${id}))`;
}

/**
 * Erases the answers of receivers to deliveries of events, which may repeat the event. `areAll`: including deliveries
 * that are still to be attempted.
 */
export async function eraseAnswersTo(
  ctx: Context,
  selection: EventSelection,
  { areAll = false }: { areAll?: boolean } = {},
): Promise<void> {
  const selected = sql`(select id from ${events} where ${selection.events}
    union all select id from ${earlierEvents} where ${selection.earlierEvents})`;
  const isMeant = sql`event_id in ${selected} and instr(attempts, '"answer"') > 0${areAll ? sql`` : sql` and next_attempt_at is null`}`;
  for (const table of [webhookDeliveries, earlierDeliveries]) {
    const silent = sql`(select json_group_array(json_remove(attempt.value, '$.answer')) from json_each(${table.attempts}) as attempt)`;
    const erase = () => ctx.db.update(table).set({ attempts: silent }).where(pageOf(table, isMeant));
    await runInPages(async () => (await erase()).meta.changes, ALL);
  }
}
