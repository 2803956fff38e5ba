import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Ways in which a pass is sent to its holder. */
export type MessageChannel = 'email' | 'sms';

/** Why a message is sent: the pass got this recipient, or somebody asked for it (`deliver`). */
export type MessageKind = 'creation' | 'adhoc';

/**
 * `queued`: a job may take it. `waiting`: a provider could not be reached, the cron hands it over again at `dueAt`.
 * `sending`: a job has it until `dueAt`. `sent`: the provider has it. `delivered`: the provider says that it has
 * arrived. `failed`: it never will.
 */
export type MessageStatus = 'queued' | 'waiting' | 'sending' | 'sent' | 'delivered' | 'failed';

/** E-mails and SMS about passes. A row is written in the same batch as the change that asks for it (outbox). */
export const messages = sqliteTable(
  'messages',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    passId: text('pass_id').notNull(),
    /** Template of the pass when the message was asked for. */
    templateId: text('template_id').notNull(),
    channel: text('channel').$type<MessageChannel>().notNull(),
    kind: text('kind').$type<MessageKind>().notNull(),
    /** Address or number as the caller gave it. */
    recipient: text('recipient').notNull(),
    /** Of an e-mail that was sent, its placeholders filled; without the token of a link (`passes/kept-text.ts`). */
    subject: text('subject'),
    status: text('status').$type<MessageStatus>().notNull(),
    /** Details of the status, from the provider or the service. */
    statusDetails: text('status_details'),
    /** The provider's name for the message; while it is being sent again, that of the one that failed. */
    providerId: text('provider_id'),
    /** How often a job has taken it. */
    attempts: integer('attempts').notNull(),
    /** Whether it was asked for beyond the account's quota: it fails where others are sent. */
    isOverQuota: integer('is_over_quota', { mode: 'boolean' }).notNull().default(false),
    /** When the cron is to look at it; null once nothing is left to do. */
    dueAt: integer('due_at'),
    createdAt: integer('created_at').notNull(),
    /** When a provider took it. */
    submittedAt: integer('submitted_at'),
  },
  (table) => [
    index('messages_due').on(table.dueAt).where(sql`due_at is not null`),
    index('messages_by_pass').on(table.passId),
    // The list of an account, and of what went wrong in it, which is what people look for.
    index('messages_by_account').on(table.accountId, table.id),
    index('messages_failed').on(table.accountId, table.id).where(sql`status = 'failed'`),
  ],
);

export type Message = typeof messages.$inferSelect;
