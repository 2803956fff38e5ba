import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/**
 * What has happened to passes, for their timelines: many facts a row, so that a fact costs one written row and few
 * bytes (docs/wallets.md, "How facts are stored"). Facts are added to the newest row of their pass.
 */
export const passFacts = sqliteTable(
  'pass_facts',
  {
    /** Rises with each row that is begun, so the oldest rows come first. */
    key: integer('key').primaryKey(),
    /** `passes.key`. */
    passKey: integer('pass_key').notNull(),
    /** When the row was begun, UTC milliseconds; what a fact is about may have been up to a day before. */
    beganAt: integer('began_at').notNull(),
    /** Facts as `encodeFact` writes them, joined by commas. */
    facts: text('facts').notNull(),
  },
  (table) => [uniqueIndex('pass_facts_by_pass').on(table.passKey, table.beganAt)],
);
