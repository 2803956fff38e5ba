import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { withoutRowid } from '../../platform/raw-statement.ts';
import { uuidText } from '../../platform/uuid-bytes.ts';
import type { EventType } from './catalog.ts';

const content = {
  accountId: text('account_id').notNull(),
  type: text('type').$type<EventType>().notNull(),
  /** The body as delivered; for an event without a subscriber, an array (`compact-body.ts`). */
  body: text('body', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  createdAt: integer('created_at').notNull(),
  /** The only subscription that gets the event: this is its test event. */
  subscriptionId: text('subscription_id'),
};

/**
 * Events to deliver. A row is written in the batch of its change (transactional outbox). An event without a subscriber
 * is one row written: it has no index entry.
 */
export const events = withoutRowid(
  sqliteTable(
    'account_events',
    {
      id: text('id').notNull(),
      ...content,
      /** `uuidBytes` of the two identifiers below, which are computed on read. */
      template: blob('template'),
      pass: blob('pass'),
      templateId: text('template_id').generatedAlwaysAs(sql.raw(uuidText('template')), { mode: 'virtual' }),
      passId: text('pass_id').generatedAlwaysAs(sql.raw(uuidText('pass')), { mode: 'virtual' }),
      /**
       * Set until deliveries exist for all subscriptions; never set for accounts without subscriptions. Increases with
       * each statement that stores events: D1 runs one batch at a time, so it is the commit order.
       */
      pending: integer('pending'),
      /** Whether the body has values of a pass or its holder, because there is a subscription. Null: it has none. */
      hasValues: integer('has_values', { mode: 'boolean' }),
    },
    (table) => [
      primaryKey({ columns: [table.accountId, table.id] }),
      index('account_events_pending').on(table.pending).where(sql`pending is not null`),
      index('account_events_with_values').on(table.pass).where(sql`has_values is not null and pass is not null`),
    ],
  ),
);

/** Events of releases before 0.2.0, until their retention ends (`earlier-events.ts`). */
export const earlierEvents = sqliteTable(
  'events',
  {
    /** Increases with each stored event. */
    key: integer('key').primaryKey(),
    id: text('id').notNull().unique(),
    ...content,
    templateId: text('template_id'),
    passId: text('pass_id'),
    pending: integer('pending', { mode: 'boolean' }),
  },
  (table) => [
    index('events_by_account').on(table.accountId, table.id),
    // History of a pass, newest first.
    index('events_by_pass').on(table.passId, table.createdAt).where(sql`pass_id is not null`),
    index('events_pending').on(table.pending).where(sql`pending is not null`),
  ],
);
