import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Stored queries. */
export const segments = sqliteTable(
  'segments',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    title: text('title').notNull(),
    /** As it was sent. */
    query: text('query', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull(),
    /** Set on queries that only the next page of a list names, which aren't listed as segments. */
    expiresAt: integer('expires_at'),
  },
  (table) => [
    index('segments_by_account').on(table.accountId, table.expiresAt, table.id),
    index('segments_by_expiry').on(table.expiresAt).where(sql`expires_at is not null`),
  ],
);
