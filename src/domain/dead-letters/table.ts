import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { DeliveryJob, Job } from '../jobs.ts';

/**
 * Jobs that failed as often as their queue tries. Each stays until somebody retries or discards it, or its retention
 * ends.
 */
export const deadLetters = sqliteTable(
  'dead_letters',
  {
    /** Identifier of the queue's message: what is delivered twice is one letter. The log names its attempts by it. */
    id: text('id').primaryKey(),
    /** Account of what the job names; null: that is gone, or the job is nobody's own. */
    accountId: text('account_id'),
    /** As in the body. It may be one that this version of the service does not know. */
    type: text('type').$type<DeadJob['type']>().notNull(),
    body: text('body', { mode: 'json' }).$type<DeadJob>().notNull(),
    failedAt: integer('failed_at').notNull(),
    /** When the cron is to send the job again, which somebody has asked for; null: nobody has. */
    dueAt: integer('due_at'),
  },
  (table) => [
    index('dead_letters_by_account').on(table.accountId, table.failedAt, table.id),
    index('dead_letters_by_age').on(table.failedAt, table.id),
    index('dead_letters_due').on(table.dueAt).where(sql`due_at is not null`),
  ],
);

/** What a message of either queue asks for. */
export type DeadJob = Job | DeliveryJob;
export type DeadLetter = typeof deadLetters.$inferSelect;
