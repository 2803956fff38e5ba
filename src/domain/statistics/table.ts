import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Counts of an account by hour. */
export const hourlyCounts = sqliteTable(
  'hourly_counts',
  {
    accountId: text('account_id').notNull(),
    /** An event's type, or a metric of `addCounts`; scans by status, `app_scan_created.0` or `.other`. */
    metric: text('metric').notNull(),
    /** Start of the hour, in UTC milliseconds. */
    hourAt: integer('hour_at').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.metric, table.hourAt] })],
);

/** Counts of an account by day, folded from old hourly counts. */
export const dailyCounts = sqliteTable(
  'daily_counts',
  {
    accountId: text('account_id').notNull(),
    metric: text('metric').notNull(),
    /** Start of the day in the account's time zone, in UTC milliseconds. */
    dayAt: integer('day_at').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.metric, table.dayAt] })],
);

/** The place up to which events are counted: one row. */
export const countedEvents = sqliteTable('counted_events', {
  id: integer('id').primaryKey(),
  /** Identifier of the last counted event. */
  lastEventId: text('last_event_id').notNull(),
  /** Number of events ever counted. */
  total: integer('total').notNull().default(0),
});
