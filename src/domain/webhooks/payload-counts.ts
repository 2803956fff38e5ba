import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { webhookPayloadCounts, webhookPayloads, webhookSubscriptions } from './table.ts';

/** Which payloads: all of an account, or of one subscription of it. */
export interface PayloadScope {
  accountId: string;
  subscriptionId?: string;
}

/** SQL that holds for the payloads of a scope. */
export function ofScope({ accountId, subscriptionId }: PayloadScope): SQL {
  const ofSubscription = subscriptionId === undefined ? sql`` : sql` and subscription_id = ${subscriptionId}`;
  return sql`account_id = ${accountId}${ofSubscription}`;
}

/** SQL that holds for the payloads of a scope that are not acknowledged. */
export function isOpenIn(scope: PayloadScope): SQL {
  return sql`${ofScope(scope)} and acknowledged_at is null`;
}

/** The index that lists those payloads by sequence. */
export function openIndexOf({ subscriptionId }: PayloadScope): SQL {
  return sql.raw(subscriptionId === undefined ? 'webhook_payloads_open' : 'webhook_payloads_open_of_subscription');
}

/** SQL for the number of payloads of a scope that are not acknowledged; reads one row for each subscription. */
export function openCount(scope: PayloadScope): SQL {
  return sql`(select coalesce(sum(open), 0) from ${webhookPayloadCounts} where ${ofScope(scope)})`;
}

/**
 * The statement that counts payloads in which the same batch stores: one of each event for each pull subscription in
 * `asking`, a join of `event` and subscriptions.
 */
export function countIn(ctx: Context, asking: SQL) {
  const { id, accountId, targetUrl } = webhookSubscriptions;
  return addToCounts(
    ctx,
    sql`select ${id}, ${accountId}, count(*) from ${asking} and ${targetUrl} is null group by ${id}`,
  );
}

/**
 * The statement that counts out payloads which are about to be acknowledged or removed, for the batch that does so.
 * `sequences` selects them.
 */
export function countOut(ctx: Context, sequences: SQL) {
  return addToCounts(
    ctx,
    sql`select subscription_id, account_id, -count(*) from ${webhookPayloads}
      where sequence in ${sequences} and acknowledged_at is null group by subscription_id`,
  );
}

/** Adds rows of subscription, account and number. */
function addToCounts(ctx: Context, numbers: SQL) {
  return ctx.db
    .insert(webhookPayloadCounts)
    .select(numbers)
    .onConflictDoUpdate({
      target: webhookPayloadCounts.subscriptionId,
      set: { open: sql`${webhookPayloadCounts.open} + excluded.open` },
    });
}
