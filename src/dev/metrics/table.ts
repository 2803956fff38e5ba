import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Data points of a local service; a deployment writes them to Analytics Engine. The columns match its data points. */
export const metricPoints = sqliteTable('metric_points', {
  key: integer('key').primaryKey({ autoIncrement: true }),
  index: text('index1').notNull(),
  blobs: text('blobs', { mode: 'json' }).$type<string[]>().notNull(),
  doubles: text('doubles', { mode: 'json' }).$type<number[]>().notNull(),
  createdAt: integer('created_at').notNull(),
});
