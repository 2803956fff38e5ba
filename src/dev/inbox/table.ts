import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Kinds of messages that leave the service. */
export const INBOX_KINDS = ['email', 'sms', 'apns', 'google'] as const;
export type InboxKind = (typeof INBOX_KINDS)[number];

/** A file of an item, stored in the bucket. */
export interface InboxFile {
  key: string;
  filename: string;
  type: string;
  bytes: number;
}

/**
 * Messages that left a local service, or would have; a deployment never writes here. The table keeps its first name in
 * SQL, because a table with development data isn't worth a migration.
 */
export const inboxItems = sqliteTable('outbox_items', {
  key: integer('key').primaryKey({ autoIncrement: true }),
  kind: text('kind').$type<InboxKind>().notNull(),
  /** Address, number, push token or object identifier. */
  recipient: text('recipient').notNull(),
  subject: text('subject').notNull(),
  text: text('text').notNull(),
  /** Further facts by kind. */
  details: text('details', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  files: text('files', { mode: 'json' }).$type<InboxFile[]>().notNull().default([]),
  createdAt: integer('created_at').notNull(),
});

export type InboxRow = typeof inboxItems.$inferSelect;
