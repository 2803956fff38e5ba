import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/**
 * Facts about passes, for their timelines: many per row, so that a fact costs one written row and few bytes
 * (docs/wallets.md, "How facts are stored"). Facts are added to the newest row of their pass.
 */
export const passFacts = sqliteTable(
  'pass_facts',
  {
    /** Increases with each new row, so the oldest rows come first, except those that moved in. */
    key: integer('key').primaryKey(),
    /** `passes.key`. */
    passKey: integer('pass_key').notNull(),
    /** When the row began, UTC milliseconds; its facts may be up to a day older. */
    beganAt: integer('began_at').notNull(),
    /** Results of `encodeFact`, joined by commas. */
    facts: text('facts').notNull(),
    /** Whether it came with an account that moved in, so that earlier rows may have begun later; null: it didn't. */
    hasMoved: integer('has_moved', { mode: 'boolean' }),
  },
  (table) => [
    uniqueIndex('pass_facts_by_pass').on(table.passKey, table.beganAt),
    index('pass_facts_moved').on(table.beganAt).where(sql`has_moved is not null`),
  ],
);
