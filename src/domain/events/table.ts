import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { EventType } from './catalog.ts';

/** Facts that webhooks tell. A row is written in the same batch as the change that caused it (outbox). */
export const events = sqliteTable(
  'events',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    type: text('type').$type<EventType>().notNull(),
    templateId: text('template_id'),
    passId: text('pass_id'),
    /** The body as subscribers get it. */
    body: text('body', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('events_by_account').on(table.accountId, table.id)],
);
