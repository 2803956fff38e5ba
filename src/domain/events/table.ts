import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { withoutRowid } from '../../platform/row-key.ts';
import { uuidText } from '../../platform/uuid-bytes.ts';
import type { EventType } from './catalog.ts';

const content = {
  accountId: text('account_id').notNull(),
  type: text('type').$type<EventType>().notNull(),
  /** The body as subscribers get it; of an event that nobody has asked for, a list (`compact-body.ts`). */
  body: text('body', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  createdAt: integer('created_at').notNull(),
  /** The only subscription that gets it: this is its test event. */
  subscriptionId: text('subscription_id'),
};

/**
 * Facts that webhooks deliver. A row is written in the same batch as its change (transactional outbox). An event that
 * nobody has asked for is one written row: it has no index entry.
 */
export const events = withoutRowid(
  sqliteTable(
    'account_events',
    {
      id: text('id').notNull(),
      ...content,
      /** `uuidBytes` of the two identifiers below, which are computed when they are read. */
      template: blob('template'),
      pass: blob('pass'),
      templateId: text('template_id').generatedAlwaysAs(sql.raw(uuidText('template')), { mode: 'virtual' }),
      passId: text('pass_id').generatedAlwaysAs(sql.raw(uuidText('pass')), { mode: 'virtual' }),
      /**
       * Set until deliveries exist for all subscriptions; never set for accounts without subscriptions. Rises with each
       * statement that stores events: D1 writes one batch after the other, so it is the order of commits.
       */
      pending: integer('pending'),
      /** Whether the body has values of a pass or its holder: a subscription has asked for it. Null: it has none. */
      hasValues: integer('has_values', { mode: 'boolean' }),
    },
    (table) => [
      primaryKey({ columns: [table.accountId, table.id] }),
      index('account_events_pending').on(table.pending).where(sql`pending is not null`),
      index('account_events_with_values').on(table.pass).where(sql`has_values is not null and pass is not null`),
    ],
  ),
);

/** Where releases before 0.2.0 store events. They stay there until they are too old (`earlier-events.ts`). */
export const earlierEvents = sqliteTable(
  'events',
  {
    /** Rises with each event that is stored. */
    key: integer('key').primaryKey(),
    id: text('id').notNull().unique(),
    ...content,
    templateId: text('template_id'),
    passId: text('pass_id'),
    pending: integer('pending', { mode: 'boolean' }),
  },
  (table) => [
    index('events_by_account').on(table.accountId, table.id),
    // What has happened to a pass, newest first.
    index('events_by_pass').on(table.passId, table.createdAt).where(sql`pass_id is not null`),
    index('events_pending').on(table.pending).where(sql`pending is not null`),
  ],
);
