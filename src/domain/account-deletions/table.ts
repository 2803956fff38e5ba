import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Accounts that an operator has deleted, a row for each, and each sub-customer, of which anything is left. Their rows in `accounts` are gone already. */
export const accountDeletions = sqliteTable(
  'account_deletions',
  {
    accountId: text('account_id').primaryKey(),
    /** The account that the operator named. */
    rootId: text('root_id').notNull(),
    /** The accounts above it that stand, whose quotas its passes count for. */
    ancestorIds: text('ancestor_ids', { mode: 'json' }).$type<string[]>().notNull(),
    startedAt: integer('started_at').notNull(),
    /** Place in the list of what is deleted (`steps.ts`). */
    step: integer('step').notNull(),
    /** How often the list was gone through. */
    rounds: integer('rounds').notNull(),
    /** Rows and files so far. */
    deleted: integer('deleted').notNull(),
    /** When somebody is to go on. */
    dueAt: integer('due_at').notNull(),
  },
  (table) => [index('account_deletions_by_time').on(table.dueAt), index('account_deletions_by_root').on(table.rootId)],
);

export type AccountDeletion = typeof accountDeletions.$inferSelect;
