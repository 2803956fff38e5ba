import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Databases that the service uses besides the first. Only the directory's table has rows. */
export const databases = sqliteTable('databases', {
  /** Name of the binding, such as `DB_1`. */
  name: text('name').primaryKey(),
  /** Whether new accounts may live there. The first database is open unless its row says otherwise. */
  isOpen: integer('is_open', { mode: 'boolean' }).notNull(),
  addedAt: integer('added_at').notNull(),
  /**
   * The last measurement of its cron, with the tasks that failed (`monitoring/samples.ts`); null: none yet,
   * or the first database.
   */
  measured: text('measured', { mode: 'json' }).$type<object>(),
});

/**
 * The map: shards and accounts that do not live in the database of their number. A row stays when its subject moves
 * back, so that the version never decreases. Only the directory's table has rows.
 */
export const shardPlaces = sqliteTable('shard_places', {
  /** The number of a shard, or the identifier of an account. */
  subject: text('subject').primaryKey(),
  /** Name of the binding. */
  database: text('database').notNull(),
  /** The version of the map that last changed the row. */
  version: integer('version').notNull(),
});
