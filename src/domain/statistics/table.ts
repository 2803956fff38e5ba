import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** How often something happened in an account, by hour. */
export const hourlyCounts = sqliteTable(
  'hourly_counts',
  {
    accountId: text('account_id').notNull(),
    /** An event's type, or what `countStatements` adds; scans by status, `app_scan_created.0` or `.other`. */
    metric: text('metric').notNull(),
    /** Begin of the hour, in UTC milliseconds. */
    hourAt: integer('hour_at').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.metric, table.hourAt] })],
);

/** Up to which event the counts go: one row. */
export const countedEvents = sqliteTable('counted_events', {
  id: integer('id').primaryKey(),
  /** Identifier of the last event that was counted. */
  lastEventId: text('last_event_id').notNull(),
});
