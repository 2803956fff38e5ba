import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** A customer. Sub-customers name their parent. */
export const accounts = sqliteTable(
  'accounts',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    /** IANA name; dates without a zone are read and shown in it. */
    timezone: text('timezone').notNull().default('UTC'),
    language: text('language').notNull().default('en'),
    logoUrl: text('logo_url'),
    iconUrl: text('icon_url'),
    parentAccountId: text('parent_account_id'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('accounts_by_parent').on(table.parentAccountId)],
);

export type Account = typeof accounts.$inferSelect;
