import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { webhookPayloadCounts, webhookPayloads, webhookSubscriptions } from './table.ts';

/** Scope of payloads: all of an account, or of one of its subscriptions. */
export interface PayloadScope {
  accountId: string;
  subscriptionId?: string;
}

/** Builds the condition for the payloads of a scope. */
export function ofScope({ accountId, subscriptionId }: PayloadScope): SQL {
  const ofSubscription = subscriptionId === undefined ? sql`` : sql` and subscription_id = ${subscriptionId}`;
  return sql`account_id = ${accountId}${ofSubscription}`;
}

/** Builds the condition for the unacknowledged payloads of a scope. */
export function isOpenIn(scope: PayloadScope): SQL {
  return sql`${ofScope(scope)} and acknowledged_at is null`;
}

/** Returns the index that lists those payloads by sequence. */
export function openIndexOf({ subscriptionId }: PayloadScope): SQL {
  return sql.raw(subscriptionId === undefined ? 'webhook_payloads_open' : 'webhook_payloads_open_of_subscription');
}

/** Builds the number of unacknowledged payloads of a scope; reads one row per subscription. */
export function openCount(scope: PayloadScope): SQL {
  return sql`(select coalesce(sum(open), 0) from ${webhookPayloadCounts} where ${ofScope(scope)})`;
}

/**
 * Builds the statement that counts the payloads stored by the same batch: one per event and pull subscription in
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
 * Builds the statement that subtracts payloads which are about to be acknowledged or removed, for the batch that does
 * so. `sequences` selects them.
 */
export function countOut(ctx: Context, sequences: SQL) {
  return addToCounts(
    ctx,
    sql`select subscription_id, account_id, -count(*) from ${webhookPayloads}
      where sequence in ${sequences} and acknowledged_at is null group by subscription_id`,
  );
}

/** Adds rows of subscription, account and number to the counts. */
function addToCounts(ctx: Context, numbers: SQL) {
  return ctx.db
    .insert(webhookPayloadCounts)
    .select(numbers)
    .onConflictDoUpdate({
      target: webhookPayloadCounts.subscriptionId,
      set: { open: sql`${webhookPayloadCounts.open} + excluded.open` },
    });
}
