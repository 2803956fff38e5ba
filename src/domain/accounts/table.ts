import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Customers. A sub-customer names its parent. */
export const accounts = sqliteTable(
  'accounts',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    /** IANA name. Dates without a zone are read and shown in it. */
    timezone: text('timezone').notNull().default('UTC'),
    language: text('language').notNull().default('en'),
    logoUrl: text('logo_url'),
    iconUrl: text('icon_url'),
    /** Whether `/p/<account>/<userProvidedId>` opens download pages. Such values can be guessed. */
    userProvidedLinks: integer('user_provided_links', { mode: 'boolean' }).notNull().default(true),
    /** Reply-To of mails about passes; null: replies go to the sender's address. */
    replyTo: text('reply_to'),
    parentAccountId: text('parent_account_id'),
    /** Its ancestors, topmost first. An account never changes its parent, so this never changes either. */
    ancestorIds: text('ancestor_ids', { mode: 'json' }).$type<string[]>().notNull().default([]),
    /** Used by releases before quotas; replaced by `account_quotas`. */
    maxActivePasses: integer('max_active_passes'),
    /** Whether members must have signed in with a passkey to open it. */
    requirePasskey: integer('require_passkey', { mode: 'boolean' }).notNull().default(false),
    /** When the operator suspended this account itself, in UTC milliseconds; null: not suspended. */
    suspendedAt: integer('suspended_at'),
    /** Whether the account or an ancestor is suspended: its keys are rejected and its deliveries wait. */
    isSuspended: integer('is_suspended', { mode: 'boolean' }).notNull().default(false),
    /** Whether it ever subscribed to an event. If not, no change looks for subscriptions. */
    hasWebhooks: integer('has_webhooks', { mode: 'boolean' }).notNull().default(false),
    /** For a copy, the database in which the account lives. Null: this one. */
    livesIn: text('lives_in'),
    /** Retention periods in days; null: everything is kept. */
    retention: text('retention', { mode: 'json' }).$type<Retention>(),
    /** When the cron next looks for outdated data, in UTC milliseconds; null: never. */
    retentionDueAt: integer('retention_due_at'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    index('accounts_copies').on(table.id).where(sql`lives_in is not null`),
    index('accounts_by_parent').on(table.parentAccountId),
    // A small index, so that checking an account that isn't suspended costs nothing.
    index('accounts_suspended').on(table.id).where(sql`is_suspended`),
    index('accounts_by_retention').on(table.retentionDueAt).where(sql`retention_due_at is not null`),
  ],
);

/** Days after which an account's data is deleted; null: it is kept. */
export interface Retention {
  /** Since they expired. */
  expiredPassesDays: number | null;
  /** Since their last change. */
  voidedPassesDays: number | null;
  scansDays: number | null;
  messagesDays: number | null;
}

/** Contact of an account, as given by its creator. Separate from the account, which every request reads. */
export const accountContacts = sqliteTable('account_contacts', {
  accountId: text('account_id').primaryKey(),
  contact: text('contact', { mode: 'json' }).$type<Contact>().notNull(),
});

/** A person and an address. Members that weren't given are absent. */
export interface Contact {
  email?: string;
  firstName?: string;
  lastName?: string;
  street1?: string;
  street2?: string;
  zipCode?: string;
  city?: string;
  country?: string;
  vatId?: string;
}

/** Deleted accounts and sub-customers with remaining rows outside of `accounts`. */
export const accountDeletions = sqliteTable(
  'account_deletions',
  {
    accountId: text('account_id').primaryKey(),
    /** The account that the operator deleted. */
    rootId: text('root_id').notNull(),
    /** Its remaining ancestors, whose quotas count its passes. */
    ancestorIds: text('ancestor_ids', { mode: 'json' }).$type<string[]>().notNull(),
    startedAt: integer('started_at').notNull(),
    /** Position in the list of deletion steps (`domain/account-deletion/steps.ts`). */
    step: integer('step').notNull(),
    /** Number of completed rounds through the list. */
    rounds: integer('rounds').notNull(),
    deleted: integer('deleted').notNull(),
    /** When to continue, in UTC milliseconds. */
    dueAt: integer('due_at').notNull(),
  },
  (table) => [index('account_deletions_by_time').on(table.dueAt), index('account_deletions_by_root').on(table.rootId)],
);

export type AccountDeletion = typeof accountDeletions.$inferSelect;
export type Account = typeof accounts.$inferSelect;
