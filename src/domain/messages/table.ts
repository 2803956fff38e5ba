import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Channels on which a pass is sent to its holder. */
export type MessageChannel = 'email' | 'sms';

/** Reason of a message: the pass got this recipient, or a caller requested it (`deliver`). */
export type MessageKind = 'creation' | 'adhoc';

/**
 * `queued`: a job may claim it. `waiting`: a provider was unreachable, the cron enqueues it at `dueAt`. `sending`: a
 * job has it until `dueAt`. `sent`: the provider has it. `delivered`: the provider reported its arrival. `failed`: it
 * won't be delivered.
 */
export type MessageStatus = 'queued' | 'waiting' | 'sending' | 'sent' | 'delivered' | 'failed';

/** Emails and SMS about passes. A row is written in the batch of the change that requests it (transactional outbox). */
export const messages = sqliteTable(
  'messages',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    passId: text('pass_id').notNull(),
    /** Template of the pass when the message was requested. */
    templateId: text('template_id').notNull(),
    channel: text('channel').$type<MessageChannel>().notNull(),
    kind: text('kind').$type<MessageKind>().notNull(),
    /** Address or number as sent by the caller. */
    recipient: text('recipient').notNull(),
    /** Subject of a sent email, with filled placeholders but no token of a link (`passes/card/kept-text.ts`). */
    subject: text('subject'),
    status: text('status').$type<MessageStatus>().notNull(),
    /** Details of the status, from the provider or the service. */
    statusDetails: text('status_details'),
    /** The provider's identifier of the message; while it is being sent again, that of the failed sending. */
    providerId: text('provider_id'),
    /** Number of claims by jobs. */
    attempts: integer('attempts').notNull(),
    /** Whether it exceeds the account's quota: then it fails when sent. */
    isOverQuota: integer('is_over_quota', { mode: 'boolean' }).notNull().default(false),
    /** Due time for the cron; null once nothing is left to do. */
    dueAt: integer('due_at'),
    createdAt: integer('created_at').notNull(),
    /** Time at which a provider accepted it. */
    submittedAt: integer('submitted_at'),
  },
  (table) => [
    index('messages_due').on(table.dueAt).where(sql`due_at is not null`),
    index('messages_by_pass').on(table.passId),
    // For the list of an account, and for its failures, which users search for.
    index('messages_by_account').on(table.accountId, table.id),
    index('messages_failed').on(table.accountId, table.id).where(sql`status = 'failed'`),
  ],
);

export type Message = typeof messages.$inferSelect;
