import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Databases that the service uses beside the first. Only the directory's table has rows. */
export const databases = sqliteTable('databases', {
  /** Name of the binding, such as `DB_1`. */
  name: text('name').primaryKey(),
  /** Whether new accounts may live there. The first database is open unless it has a row that says otherwise. */
  isOpen: integer('is_open', { mode: 'boolean' }).notNull(),
  addedAt: integer('added_at').notNull(),
  /** What its tick has measured last (`monitoring/measure-databases.ts`); null: nothing yet, or the first database. */
  measured: text('measured', { mode: 'json' }).$type<object>(),
});

/**
 * The map: shards and accounts that do not live in the database of their number. A row stays when its subject moves
 * back home, so that the version never falls. Only the directory's table has rows.
 */
export const shardPlaces = sqliteTable('shard_places', {
  /** The number of a shard, or the identifier of an account. */
  subject: text('subject').primaryKey(),
  /** Name of the binding. */
  database: text('database').notNull(),
  /** The version of the map that has brought the row. */
  version: integer('version').notNull(),
});
