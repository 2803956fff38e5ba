import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Projects group templates between which passes may move. */
export const projects = sqliteTable(
  'projects',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    name: text('name').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('projects_by_account').on(table.accountId, table.id)],
);
