import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { withoutRowid } from '../../platform/row-key.ts';
import type { EventType } from '../events/catalog.ts';
import type { DeliveryJob } from '../jobs.ts';

/** `paused`: failed for days, gets nothing until it is resumed. `ended`: its receiver answered 410. */
export type SubscriptionStatus = 'active' | 'paused' | 'ended';

/** Subscriptions to events. With an endpoint URL they get deliveries (push), without one they ask (pull). */
export const webhookSubscriptions = sqliteTable(
  'webhook_subscriptions',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** Null: of all templates. */
    templateId: text('template_id'),
    event: text('event').$type<EventType>().notNull(),
    /** Null: pull mode. */
    targetUrl: text('target_url'),
    /** The caller's own name for it. */
    subscriptionUrl: text('subscription_url'),
    retryEnabled: integer('retry_enabled', { mode: 'boolean' }).notNull(),
    signPayload: integer('sign_payload', { mode: 'boolean' }).notNull(),
    /** `whsec_…`, encrypted with the row's identifier as owner. */
    secretSealed: text('secret_sealed').notNull(),
    /** The secret before the last rotation, which signs too until `previousSecretUntilAt`. */
    previousSecretSealed: text('previous_secret_sealed'),
    previousSecretUntilAt: integer('previous_secret_until_at'),
    /** Encrypted and not a digest, because each delivery carries it. */
    accessTokenSealed: text('access_token_sealed'),
    status: text('status').$type<SubscriptionStatus>().notNull().default('active'),
    /** Since when nothing has been delivered; null while the last attempt was a success. */
    failingSinceAt: integer('failing_since_at'),
    /** When to notify the owner that it is paused; null: nothing to send. */
    notifyOwnerAt: integer('tell_owner_at'),
    /** Recovery under way: events behind this identifier, up to `recoverUntilId`, are still to be looked at. */
    recoverAfterId: text('recover_after_id'),
    recoverUntilId: text('recover_until_id'),
    delivered: integer('delivered').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    lastOutcome: text('last_outcome'),
    lastAttemptAt: integer('last_attempt_at'),
    /** Milliseconds between the last event that was delivered and its delivery. */
    lagMillis: integer('lag_millis'),
    createdAt: integer('created_at').notNull(),
    /** Ends of attempts that are not in the hourly counts yet, by metric and hour (`delivery-counts.ts`). */
    uncounted: text('uncounted', { mode: 'json' }).$type<Record<string, number>>(),
  },
  (table) => [
    index('webhook_subscriptions_by_event').on(table.accountId, table.event),
    // Subscribing twice is one subscription; consumers that pull each have their own.
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

/** The outcome of one attempt. */
export interface Attempt {
  /** UTC milliseconds. */
  at: number;
  /** `delivered`, or what went wrong: `status_500`, `timeout`, … */
  outcome: string;
  /** HTTP status of the answer, if there was one. */
  status?: number;
  /** Start of an unsuccessful response. */
  answer?: string;
  durationMs: number;
}

const delivery = {
  subscriptionId: text('subscription_id').notNull(),
  eventId: text('event_id').notNull(),
  state: text('state').$type<DeliveryState>().notNull(),
  /** When it is due, or, while it is being attempted, when that counts as abandoned; null: it has ended. */
  nextAttemptAt: integer('next_attempt_at'),
  attemptCount: integer('attempt_count').notNull(),
  /** The last attempts, oldest first. */
  attempts: text('attempts', { mode: 'json' }).$type<Attempt[]>().notNull(),
  createdAt: integer('created_at').notNull(),
};

/**
 * The truth about deliveries: one row for each event and push subscription. Queue messages only say that it
 * is time to look. Rows are stored by subscription, the oldest event first.
 */
export const webhookDeliveries = withoutRowid(
  sqliteTable('event_deliveries', delivery, (table) => [
    primaryKey({ columns: [table.subscriptionId, table.eventId] }),
    index('event_deliveries_due').on(table.subscriptionId, table.nextAttemptAt).where(sql`next_attempt_at is not null`),
    // For people who look for what went wrong among what did not; costs nothing until a delivery is given up.
    index('event_deliveries_failed').on(table.subscriptionId, table.eventId).where(sql`state = 'failed'`),
    // Responses of receivers may repeat the event, and are deleted with it.
    index('event_deliveries_answered').on(table.eventId).where(sql`instr(attempts, '"answer"') > 0`),
  ]),
);

/** Where the release before 0.2.0 stores them; the cron moves them (`move-deliveries.ts`). */
export const earlierDeliveries = sqliteTable('webhook_deliveries', delivery, (table) => [
  primaryKey({ columns: [table.subscriptionId, table.eventId] }),
  index('webhook_deliveries_due').on(table.subscriptionId, table.nextAttemptAt).where(sql`next_attempt_at is not null`),
  index('webhook_deliveries_failed').on(table.subscriptionId, table.eventId).where(sql`state = 'failed'`),
  index('webhook_deliveries_answered').on(table.eventId).where(sql`instr(attempts, '"answer"') > 0`),
]);

export type Delivery = typeof webhookDeliveries.$inferSelect;

/**
 * Events that wait for a pull subscription to fetch them. The body is that of the event, which is kept longer. A row
 * gets its sequence when it becomes visible, and D1 writes one batch after the other: whoever has seen a payload has
 * seen, or could have seen, all with a smaller sequence.
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
    /** UTC milliseconds, with a random part of one that tells calls apart. */
    acknowledgedAt: integer('acknowledged_at'),
  },
  (table) => [
    index('webhook_payloads_open').on(table.accountId, table.sequence).where(sql`acknowledged_at is null`),
    index('webhook_payloads_open_of_subscription')
      .on(table.subscriptionId, table.sequence)
      .where(sql`acknowledged_at is null`),
    // Narrow windows of `since` are read by this one.
    index('webhook_payloads_open_by_time').on(table.accountId, table.triggeredAt).where(sql`acknowledged_at is null`),
    index('webhook_payloads_acknowledged').on(table.acknowledgedAt).where(sql`acknowledged_at is not null`),
  ],
);

/**
 * Number of payloads that each pull subscription has still to acknowledge; kept in the batches that store, acknowledge
 * and remove them, so that no page counts them.
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

/** The job that attempts what is due for a subscription. */
export function deliveryJob({ id, accountId }: Pick<Subscription, 'id' | 'accountId'>): DeliveryJob {
  return { type: 'deliver-webhooks', accountId, subscriptionId: id };
}
