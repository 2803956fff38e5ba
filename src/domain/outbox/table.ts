import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Ways in which something leaves the service. */
export type OutboxKind = 'email' | 'sms' | 'apns' | 'google';

/** What has left, or would have, where the service runs locally; a deployment never writes here. */
export const outboxItems = sqliteTable('outbox_items', {
  key: integer('key').primaryKey({ autoIncrement: true }),
  kind: text('kind').$type<OutboxKind>().notNull(),
  /** Address, number, push token or object identifier. */
  recipient: text('recipient').notNull(),
  subject: text('subject').notNull(),
  text: text('text').notNull(),
  /** What else belongs to it, by kind. */
  details: text('details', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  createdAt: integer('created_at').notNull(),
});
