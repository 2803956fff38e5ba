import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { DeliveryJob, Job } from '../jobs.ts';

/** Jobs that ran out of attempts. Each stays until somebody retries or discards it, or its retention ends. */
export const deadLetters = sqliteTable(
  'dead_letters',
  {
    /** Identifier of the queue message, so that a repeated delivery is one letter. The log names its attempts by it. */
    id: text('id').primaryKey(),
    /** Account of the rows that the job names; null: they are gone, or the job belongs to no account. */
    accountId: text('account_id'),
    /** Type in the body. This version of the service may not know it. */
    type: text('type').$type<DeadJob['type']>().notNull(),
    body: text('body', { mode: 'json' }).$type<DeadJob>().notNull(),
    failedAt: integer('failed_at').notNull(),
    /** When the cron sends the job again; null: no retry was requested. */
    dueAt: integer('due_at'),
  },
  (table) => [
    index('dead_letters_by_account').on(table.accountId, table.failedAt, table.id),
    index('dead_letters_by_age').on(table.failedAt, table.id),
    index('dead_letters_due').on(table.dueAt).where(sql`due_at is not null`),
  ],
);

/** The job in a message of either queue. */
export type DeadJob = Job | DeliveryJob;
export type DeadLetter = typeof deadLetters.$inferSelect;
