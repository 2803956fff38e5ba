import { sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Context } from '../context.ts';
import { enqueue } from '../enqueue.ts';
import { isPendingHere } from '../events/pending-events.ts';
import { events } from '../events/table.ts';
import { isSuspended } from '../suspended.ts';
import { deliveryJob, webhookDeliveries, webhookSubscriptions } from './table.ts';

/** Maximum number of subscriptions that one run schedules; the next minute continues. */
const SUBSCRIPTIONS_MAX = 2_000;

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
          where ${subscriptionId} = waiting.id and ${nextAttemptAt} <= ${now}) and not ${isSuspended(account)} limit ${SUBSCRIPTIONS_MAX}`,
    ),
    ctx.db.select({ accountId: events.accountId }).from(events).where(isPendingHere()).limit(1),
  ]);
  await enqueue(ctx, [
    ...(pending ? [{ type: 'fan-out-events', ...pending } as const] : []),
    // The same job removes deliveries of deleted subscriptions.
    ...due.map(({ id, accountId }) => deliveryJob({ id, accountId: accountId ?? '' })),
  ]);
}
