import { sql } from 'drizzle-orm';
import { firstUuidAt } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Context } from '../context.ts';
import { enqueue } from '../enqueue.ts';
import { isPendingHere } from '../events/pending-events.ts';
import { events } from '../events/table.ts';
import { isNotCopy } from '../moved.ts';
import { PAGE_ROWS, pageOf, RUN_PAGES_MAX, runInPages } from '../purge.ts';
import { isSuspended } from '../suspended.ts';
import { countDeferred } from './delivery-counts.ts';
import { accountOf } from './move-deliveries.ts';
import { deliveryJob, webhookDeliveries, webhookSubscriptions } from './table.ts';

/** Days after its event for which a delivery can be viewed and resent. A retry schedule ends within four days. */
export const DELIVERY_RETENTION_DAYS = 30;

const DAY_MS = 24 * 3_600_000;

/**
 * Maximum number of subscriptions and pages of one run; the next minute continues. An invocation has 1,000 statements
 * (Cloudflare, D1).
 */
const SUBSCRIPTIONS_MAX = 100;
const PAGES_MAX = 200;

/**
 * Cron task: removes deliveries of events older than thirty days, the oldest of each subscription first. Keeps those
 * that were resent since and are still to be attempted. Reads the first delivery of each subscription with a skip scan.
 */
export async function purgeDeliveries(ctx: Context, now = Date.now()): Promise<void> {
  const before = now - DELIVERY_RETENTION_DAYS * DAY_MS;
  const { subscriptionId } = webhookDeliveries;
  const next = (after: unknown) => sql`(select ${subscriptionId} from ${webhookDeliveries}
    where ${subscriptionId} > ${after} order by ${subscriptionId} limit 1)`;
  // The time in an event's identifier is no later than the event.
  const beforeId = firstUuidAt(before);
  const isOld = sql`event_id < ${beforeId} and coalesce(next_attempt_at, 0) < ${before}`;
  const account = accountOf(sql`told.id`);
  const due = await rawStatement<{ id: string; accountId: string }>(
    ctx.db,
    sql`with recursive told(id) as (select ${next('')} union all select ${next(sql`told.id`)} from told where told.id is not null)
      select id, ${account} as "accountId" from told where exists (select 1 from ${webhookDeliveries} where ${subscriptionId} = told.id and ${isOld})
      and ${isNotCopy(account)} limit ${SUBSCRIPTIONS_MAX}`,
  );
  let pagesLeft = PAGES_MAX;
  for (const one of due) {
    const page = pageOf(webhookDeliveries, sql`${subscriptionId} = ${one.id} and ${isOld}`);
    const remove = async () => {
      pagesLeft -= 1;
      const statements = [...countDeferred(ctx, one, beforeId), ctx.db.delete(webhookDeliveries).where(page)] as const;
      return (await ctx.db.batch(statements))[2].meta.changes;
    };
    await runInPages(remove, { enough: PAGE_ROWS, pagesMax: Math.min(RUN_PAGES_MAX, pagesLeft) });
  }
}

/** Maximum number of subscriptions that one run schedules; the next minute continues. */
const SCHEDULED_MAX = 2_000;

/**
 * Cron task: schedules deliveries whose job was lost, and retries that are due later than the queue can delay; not
 * those of suspended accounts. Reads one row per subscription with open deliveries, with a skip scan of the index.
 */
export async function sweepDeliveries(ctx: Context, now = Date.now()): Promise<void> {
  const { subscriptionId, nextAttemptAt } = webhookDeliveries;
  const next = (after: unknown) => sql`(select ${subscriptionId} from ${webhookDeliveries}
    where ${nextAttemptAt} is not null and ${subscriptionId} > ${after} order by ${subscriptionId} limit 1)`;
  const account = sql`(select ${webhookSubscriptions.accountId} from ${webhookSubscriptions} where ${webhookSubscriptions.id} = waiting.id)`;
  const [due, [pending]] = await ctx.db.batch([
    rawStatement<{ id: string; accountId: string | null }>(
      ctx.db,
      sql`with recursive waiting(id) as (
          select ${next('')} union all select ${next(sql`waiting.id`)} from waiting where waiting.id is not null)
        select id, ${account} as "accountId" from waiting where id is not null and exists (select 1 from ${webhookDeliveries}
          where ${subscriptionId} = waiting.id and ${nextAttemptAt} <= ${now}) and not ${isSuspended(account)} limit ${SCHEDULED_MAX}`,
    ),
    ctx.db.select({ accountId: events.accountId }).from(events).where(isPendingHere()).limit(1),
  ]);
  await enqueue(ctx, [
    ...(pending ? [{ type: 'fan-out-events', ...pending } as const] : []),
    // The same job removes deliveries of deleted subscriptions.
    ...due.map(({ id, accountId }) => deliveryJob({ id, accountId: accountId ?? '' })),
  ]);
}
