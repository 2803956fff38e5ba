import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { withoutRowid } from '../../platform/raw-statement.ts';
import type { EventType } from '../events/catalog.ts';
import type { DeliveryJob } from '../jobs.ts';

/** `paused`: by its owner or after days of failures, until it is resumed. `ended`: its receiver answered 410. */
export type SubscriptionStatus = 'active' | 'paused' | 'ended';

/**
 * Subscriptions to events. With an endpoint URL events are delivered to it (push), without one they are fetched (pull).
 */
export const webhookSubscriptions = sqliteTable(
  'webhook_subscriptions',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** Null: all templates. */
    templateId: text('template_id'),
    event: text('event').$type<EventType>().notNull(),
    /** Null: pull mode. */
    targetUrl: text('target_url'),
    /** The caller's own name for the subscription. */
    subscriptionUrl: text('subscription_url'),
    retryEnabled: integer('retry_enabled', { mode: 'boolean' }).notNull(),
    signPayload: integer('sign_payload', { mode: 'boolean' }).notNull(),
    /** `whsec_…`, encrypted with the row's identifier as owner. */
    secretSealed: text('secret_sealed').notNull(),
    /** The previous secret, which also signs until `previousSecretUntilAt`. */
    previousSecretSealed: text('previous_secret_sealed'),
    previousSecretUntilAt: integer('previous_secret_until_at'),
    /** Encrypted instead of hashed, because each delivery sends it. */
    accessTokenSealed: text('access_token_sealed'),
    status: text('status').$type<SubscriptionStatus>().notNull().default('active'),
    /** Time since which nothing was delivered; null if the last attempt succeeded. */
    failingSinceAt: integer('failing_since_at'),
    /** When to notify the owner that it is paused; null: nothing to send. */
    notifyOwnerAt: integer('tell_owner_at'),
    /** Recovery in progress: events after this identifier, up to `recoverUntilId`, are still to be recovered. */
    recoverAfterId: text('recover_after_id'),
    recoverUntilId: text('recover_until_id'),
    delivered: integer('delivered').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    lastOutcome: text('last_outcome'),
    lastAttemptAt: integer('last_attempt_at'),
    /** Milliseconds between the last delivered event and its delivery. */
    lagMillis: integer('lag_millis'),
    createdAt: integer('created_at').notNull(),
    /** Ends of attempts that are not in the hourly counts yet, by metric and hour (`delivery-counts.ts`). */
    uncounted: text('uncounted', { mode: 'json' }).$type<Record<string, number>>(),
    /** Event up to which this row counts all deliveries; null: there was no attempt (`delivery-counts.ts`). */
    countedUntilId: text('counted_until_id'),
  },
  (table) => [
    index('webhook_subscriptions_by_event').on(table.accountId, table.event),
    // Subscribing twice is one subscription; each pull consumer has its own.
    uniqueIndex('webhook_subscriptions_same')
      .on(table.accountId, table.targetUrl, table.event)
      .where(sql`target_url is not null and template_id is null`),
    uniqueIndex('webhook_subscriptions_same_of_template')
      .on(table.accountId, table.targetUrl, table.event, table.templateId)
      .where(sql`target_url is not null and template_id is not null`),
    index('webhook_subscriptions_recovering').on(table.recoverAfterId).where(sql`recover_after_id is not null`),
    index('webhook_subscriptions_failing')
      .on(table.failingSinceAt)
      .where(sql`failing_since_at is not null and status = 'active'`),
    index('webhook_subscriptions_untold').on(table.notifyOwnerAt).where(sql`tell_owner_at is not null`),
  ],
);

export type Subscription = typeof webhookSubscriptions.$inferSelect;

/** `waiting`: to be attempted at `nextAttemptAt`. `failed`: no attempt is left. */
export type DeliveryState = 'waiting' | 'delivered' | 'failed';

/** Outcome of one attempt. */
export interface Attempt {
  /** UTC milliseconds. */
  at: number;
  /** `delivered`, or the failure: `status_500`, `timeout`, … */
  outcome: string;
  /** HTTP status of the answer, if there was one. */
  status?: number;
  /** Start of an unsuccessful response. */
  answer?: string;
  durationMs: number;
  /**
   * Milliseconds from the event to the end of this attempt. Only in the first attempt of a delivery that the row of its
   * subscription doesn't count, or didn't at first (`delivery-counts.ts`).
   */
  lagMs?: number;
}

const delivery = {
  subscriptionId: text('subscription_id').notNull(),
  eventId: text('event_id').notNull(),
  state: text('state').$type<DeliveryState>().notNull(),
  /** Due time or, while it is being attempted, the end of the lease; null: it has ended. */
  nextAttemptAt: integer('next_attempt_at'),
  attemptCount: integer('attempt_count').notNull(),
  /** The last attempts, oldest first. */
  attempts: text('attempts', { mode: 'json' }).$type<Attempt[]>().notNull(),
  createdAt: integer('created_at').notNull(),
};

/**
 * Deliveries, one row per event and push subscription. This table is authoritative; queue messages only trigger a read
 * of it. Rows are stored by subscription, the oldest event first.
 */
export const webhookDeliveries = withoutRowid(
  sqliteTable('event_deliveries', delivery, (table) => [
    primaryKey({ columns: [table.subscriptionId, table.eventId] }),
    index('event_deliveries_due').on(table.subscriptionId, table.nextAttemptAt).where(sql`next_attempt_at is not null`),
    // For troubleshooting: finds failed deliveries among the others. Costs nothing until a delivery fails.
    index('event_deliveries_failed').on(table.subscriptionId, table.eventId).where(sql`state = 'failed'`),
    // Answers of receivers may repeat the event, and are deleted with it.
    index('event_deliveries_answered').on(table.eventId).where(sql`instr(attempts, '"answer"') > 0`),
  ]),
);

/** Deliveries of the release before 0.2.0; the cron moves them (`move-deliveries.ts`). */
export const earlierDeliveries = sqliteTable('webhook_deliveries', delivery, (table) => [
  primaryKey({ columns: [table.subscriptionId, table.eventId] }),
  index('webhook_deliveries_due').on(table.subscriptionId, table.nextAttemptAt).where(sql`next_attempt_at is not null`),
  index('webhook_deliveries_failed').on(table.subscriptionId, table.eventId).where(sql`state = 'failed'`),
  index('webhook_deliveries_answered').on(table.eventId).where(sql`instr(attempts, '"answer"') > 0`),
]);

export type Delivery = typeof webhookDeliveries.$inferSelect;

/**
 * Events for pull subscriptions to fetch. The body is that of the event, which is kept longer. A row gets its sequence
 * when it becomes visible, and D1 writes batches in order: whoever saw a payload could have seen all with a smaller
 * sequence.
 */
export const webhookPayloads = sqliteTable(
  'webhook_payloads',
  {
    sequence: integer('sequence').primaryKey({ autoIncrement: true }),
    id: text('id').notNull().unique(),
    accountId: text('account_id').notNull(),
    subscriptionId: text('subscription_id').notNull(),
    eventId: text('event_id').notNull(),
    type: text('type').$type<EventType>().notNull(),
    /** When the event happened, UTC milliseconds. */
    triggeredAt: integer('triggered_at').notNull(),
    /** UTC milliseconds, with a random fraction that distinguishes calls. */
    acknowledgedAt: integer('acknowledged_at'),
  },
  (table) => [
    index('webhook_payloads_open').on(table.accountId, table.sequence).where(sql`acknowledged_at is null`),
    index('webhook_payloads_open_of_subscription')
      .on(table.subscriptionId, table.sequence)
      .where(sql`acknowledged_at is null`),
    // For narrow windows of `since`.
    index('webhook_payloads_open_by_time').on(table.accountId, table.triggeredAt).where(sql`acknowledged_at is null`),
    index('webhook_payloads_acknowledged').on(table.acknowledgedAt).where(sql`acknowledged_at is not null`),
  ],
);

/**
 * Number of unacknowledged payloads per pull subscription. Updated in the batches that store, acknowledge and remove
 * payloads, so that pages don't count them.
 */
export const webhookPayloadCounts = sqliteTable(
  'webhook_payload_counts',
  {
    subscriptionId: text('subscription_id').primaryKey(),
    accountId: text('account_id').notNull(),
    open: integer('open').notNull(),
  },
  (table) => [index('webhook_payload_counts_by_account').on(table.accountId)],
);

/** Builds the job that attempts the due deliveries of a subscription. */
export function deliveryJob({ id, accountId }: Pick<Subscription, 'id' | 'accountId'>): DeliveryJob {
  return { type: 'deliver-webhooks', accountId, subscriptionId: id };
}
