import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Ways in which something leaves the service. */
export const OUTBOX_KINDS = ['email', 'sms', 'apns', 'google'] as const;
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

/** A file of an item, kept in the bucket. */
export interface OutboxFile {
  key: string;
  filename: string;
  type: string;
  bytes: number;
}

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
  files: text('files', { mode: 'json' }).$type<OutboxFile[]>().notNull().default([]),
  createdAt: integer('created_at').notNull(),
});

export type OutboxRow = typeof outboxItems.$inferSelect;
