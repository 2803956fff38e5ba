import { and, eq, type SQL, sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { AccountContext } from '../context.ts';

/** Condition of the index that allows a template one scheduled publication. Queries repeat it, so that it is used. */
export const IS_SCHEDULED_PUBLICATION = sql`version is not null and state = 'scheduled'`;

/** A notification of a template: a push to all of its passes, or the publication of one of its versions. */
export const notifications = sqliteTable(
  'notifications',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    templateId: text('template_id').notNull(),
    publicationAt: integer('publication_at').notNull(),
    /** Text of the push; null for a publication. */
    text: text('text'),
    /** Template version to publish; null for a push. */
    version: integer('version'),
    /** `executed` once the cron has picked it up; from then on it can't be deleted. */
    state: text('state').$type<'scheduled' | 'executed'>().notNull(),
    /**
     * When the cron processes it: at the publication, and after a pickup, when the lease for the work ends. Null:
     * nothing is left to do.
     */
    dueAt: integer('due_at'),
    createdAt: integer('created_at').notNull(),
    /** When the cron picked it up. */
    executedAt: integer('executed_at'),
    /** When the queue's job took over the push. */
    takenOverAt: integer('taken_over_at'),
  },
  (table) => [
    index('notifications_due').on(table.dueAt).where(sql`due_at is not null`),
    index('notifications_by_template').on(table.templateId, table.state, table.publicationAt, table.id),
    index('notifications_executed').on(table.executedAt).where(sql`executed_at is not null`),
    uniqueIndex('notifications_scheduled_publication').on(table.templateId).where(IS_SCHEDULED_PUBLICATION),
  ],
);

export type Notification = typeof notifications.$inferSelect;

/** Builds the condition for the account's notifications of a template, those in one state if it is given. */
export function isOfTemplate(
  { account }: Pick<AccountContext, 'account'>,
  templateId: string | SQL,
  state?: Notification['state'],
): SQL {
  const isInState = state && eq(notifications.state, state);
  return and(eq(notifications.templateId, templateId), eq(notifications.accountId, account.id), isInState)!;
}
