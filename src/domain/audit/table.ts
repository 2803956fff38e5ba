import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Actor } from '../context.ts';

/**
 * The audit log. An entry commits in the batch of its change, so a failed write leaves none. Earlier releases recorded
 * only people in the console, hence the names of some columns. Such a release can still write entries.
 */
export const auditEntries = sqliteTable(
  'audit_entries',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** Null: an operator, the service itself, or a person in an entry of an earlier release. */
    actorId: text('actor_id'),
    actorType: text('actor_type').$type<Actor['type']>().notNull().default('user'),
    /** The actor's name at that time: a person's address or the name of a key. It stays when the actor is deleted. */
    actorName: text('email').notNull(),
    /** `noun.verb`, for example `api_key.create`. */
    action: text('action').notNull(),
    /** Null in entries of earlier releases: the noun of the action applies. */
    targetType: text('target_type'),
    targetId: text('target_id'),
    /** Empty: the target has no name, or its name is personal data. */
    targetName: text('target').notNull(),
    /** Null in entries of earlier releases whose outcome was not recorded. */
    outcome: text('outcome').$type<AuditOutcome>(),
    ip: text('ip'),
    requestId: text('request_id'),
    /** Fields that the action changed; with values only if they are neither personal nor secret. */
    changes: text('changes', { mode: 'json' }).$type<FieldChange[]>(),
    createdAt: integer('created_at').notNull(),
    /** Set if the account lives in another database, to which the entry must still be forwarded. */
    isAway: integer('is_away', { mode: 'boolean' }),
  },
  (table) => [
    index('audit_entries_by_account').on(table.accountId, table.id),
    index('audit_entries_by_action').on(table.accountId, table.action, table.id),
    index('audit_entries_by_actor').on(table.accountId, table.actorId, table.id),
    index('audit_entries_by_actor_and_action').on(table.accountId, table.actorId, table.action, table.id),
    index('audit_entries_by_age').on(table.createdAt),
    index('audit_entries_away').on(table.id).where(sql`is_away`),
  ],
);

/** New entries are `done`. The other values are from earlier releases. */
export type AuditOutcome = 'done' | 'refused' | 'failed';

/** A field that an action changed; without values if they are personal, secret or long. */
export interface FieldChange {
  field: string;
  old?: unknown;
  new?: unknown;
}

export type AuditEntry = typeof auditEntries.$inferSelect;
