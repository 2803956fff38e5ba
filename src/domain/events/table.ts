import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { EventType } from './catalog.ts';

/** Facts that webhooks deliver. A row is written in the same batch as its change (transactional outbox). */
export const events = sqliteTable(
  'events',
  {
    /** Rises with each event that is stored: D1 writes one batch after the other, so it is the order of commits. */
    key: integer('key').primaryKey(),
    id: text('id').notNull().unique(),
    accountId: text('account_id').notNull(),
    type: text('type').$type<EventType>().notNull(),
    templateId: text('template_id'),
    passId: text('pass_id'),
    /** The body as subscribers get it. */
    body: text('body', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull(),
    /** Set until deliveries exist for all subscriptions; never set for accounts without subscriptions. */
    pending: integer('pending', { mode: 'boolean' }),
    /** The only subscription that gets it: this is its test event. */
    subscriptionId: text('subscription_id'),
  },
  (table) => [
    index('events_by_account').on(table.accountId, table.id),
    // What has happened to a pass, newest first.
    index('events_by_pass').on(table.passId, table.createdAt).where(sql`pass_id is not null`),
    index('events_pending').on(table.pending).where(sql`pending is not null`),
  ],
);
