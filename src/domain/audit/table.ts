import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * What people have done in the console. A row is written before the action and completed after it, so that none is
 * without its row.
 */
export const auditEntries = sqliteTable(
  'audit_entries',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** Address of the person; it stays when the person leaves the account. */
    email: text('email').notNull(),
    /** `<what>.<verb>`, for example `api_key.create`. */
    action: text('action').notNull(),
    /** Name or identifier of what it was done to. */
    target: text('target').notNull(),
    /** Null: under way, or its end was not seen. */
    outcome: text('outcome').$type<AuditOutcome>(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    index('audit_entries_by_account').on(table.accountId, table.id),
    index('audit_entries_by_age').on(table.createdAt),
  ],
);

export type AuditOutcome = 'done' | 'refused' | 'failed';
export type AuditEntry = typeof auditEntries.$inferSelect;
