import { sql } from 'drizzle-orm';
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
    /** Whether `/p/<account>/<userProvidedId>` opens download pages: such values can be guessed. */
    userProvidedLinks: integer('user_provided_links', { mode: 'boolean' }).notNull().default(true),
    /** Where answers to mails about passes go; null: to the address that they come from. */
    replyTo: text('reply_to'),
    parentAccountId: text('parent_account_id'),
    /** The accounts above it, topmost first. An account never gets another parent, so neither does this change. */
    ancestorIds: text('ancestor_ids', { mode: 'json' }).$type<string[]>().notNull().default([]),
    /** Of releases before quotas; `account_quotas` has it. */
    maxActivePasses: integer('max_active_passes'),
    /** Whether members open it only after they signed in with a passkey. */
    requirePasskey: integer('require_passkey', { mode: 'boolean' }).notNull().default(false),
    /** When the operator suspended this very account; null: not. */
    suspendedAt: integer('suspended_at'),
    /** Whether the account, or one above it, is suspended: its keys are refused and its deliveries wait. */
    isSuspended: integer('is_suspended', { mode: 'boolean' }).notNull().default(false),
    /** Whether it has ever subscribed to an event; without, no change asks for subscriptions. */
    hasWebhooks: integer('has_webhooks', { mode: 'boolean' }).notNull().default(false),
    /** Of a copy: the database in which the account lives. Null: here. */
    livesIn: text('lives_in'),
    /** After how many days the cron deletes what; null: nothing of it. */
    retention: text('retention', { mode: 'json' }).$type<Retention>(),
    /** When the cron is to look next for what is too old; null: nothing ever is. */
    retentionDueAt: integer('retention_due_at'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    index('accounts_copies').on(table.id).where(sql`lives_in is not null`),
    index('accounts_by_parent').on(table.parentAccountId),
    // Few rows: whether an account is among them costs nothing when it is not.
    index('accounts_suspended').on(table.id).where(sql`is_suspended`),
    index('accounts_by_retention').on(table.retentionDueAt).where(sql`retention_due_at is not null`),
  ],
);

/** Days after which data of an account is deleted; null keeps it. */
export interface Retention {
  /** Since their end. */
  expiredPassesDays: number | null;
  /** Since their last change. */
  voidedPassesDays: number | null;
  scansDays: number | null;
  messagesDays: number | null;
}

/** Who is behind an account, as its creator told. Apart from the account, which every request reads. */
export const accountContacts = sqliteTable('account_contacts', {
  accountId: text('account_id').primaryKey(),
  contact: text('contact', { mode: 'json' }).$type<Contact>().notNull(),
});

/** A person and an address; what was not told is absent. */
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

/** Accounts that an operator deleted, and their sub-customers, of which rows outside of `accounts` are left. */
export const accountDeletions = sqliteTable(
  'account_deletions',
  {
    accountId: text('account_id').primaryKey(),
    /** The account that the operator named. */
    rootId: text('root_id').notNull(),
    /** The accounts above it that stand, whose quotas its passes count for. */
    ancestorIds: text('ancestor_ids', { mode: 'json' }).$type<string[]>().notNull(),
    startedAt: integer('started_at').notNull(),
    /** Place in the list of what is deleted (`domain/account-deletion/steps.ts`). */
    step: integer('step').notNull(),
    /** How often the list was gone through. */
    rounds: integer('rounds').notNull(),
    deleted: integer('deleted').notNull(),
    /** When somebody is to go on. */
    dueAt: integer('due_at').notNull(),
  },
  (table) => [index('account_deletions_by_time').on(table.dueAt), index('account_deletions_by_root').on(table.rootId)],
);

export type AccountDeletion = typeof accountDeletions.$inferSelect;
export type Account = typeof accounts.$inferSelect;
