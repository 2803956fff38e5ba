import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/**
 * Facts about passes, for their timelines: many per row, so that a fact costs one written row and few bytes
 * (docs/wallets.md, "How facts are stored"). Facts are added to the newest row of their pass.
 */
export const passFacts = sqliteTable(
  'pass_facts',
  {
    /** Increases with each new row, so the oldest rows come first. */
    key: integer('key').primaryKey(),
    /** `passes.key`. */
    passKey: integer('pass_key').notNull(),
    /** When the row began, UTC milliseconds; its facts may be up to a day older. */
    beganAt: integer('began_at').notNull(),
    /** Results of `encodeFact`, joined by commas. */
    facts: text('facts').notNull(),
  },
  (table) => [uniqueIndex('pass_facts_by_pass').on(table.passKey, table.beganAt)],
);
