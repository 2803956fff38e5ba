import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** How often something happened in an account, by hour. */
export const hourlyCounts = sqliteTable(
  'hourly_counts',
  {
    accountId: text('account_id').notNull(),
    /** An event's type, or what `addCounts` adds; scans by status, `app_scan_created.0` or `.other`. */
    metric: text('metric').notNull(),
    /** Begin of the hour, in UTC milliseconds. */
    hourAt: integer('hour_at').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.metric, table.hourAt] })],
);

/** How often something happened in an account, by day: what has become of old hourly counts. */
export const dailyCounts = sqliteTable(
  'daily_counts',
  {
    accountId: text('account_id').notNull(),
    metric: text('metric').notNull(),
    /** Begin of the day in the account's time zone, in UTC milliseconds. */
    dayAt: integer('day_at').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.metric, table.dayAt] })],
);

/** Up to which event the counts go: one row. */
export const countedEvents = sqliteTable('counted_events', {
  id: integer('id').primaryKey(),
  /** Identifier of the last event that was counted. */
  lastEventId: text('last_event_id').notNull(),
  /** How many were ever counted. */
  total: integer('total').notNull().default(0),
});
