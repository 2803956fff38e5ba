import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Who needs a stored image: passes (`pass:<id>`), versions of templates (`template:<id>:<version>`) and accounts
 * (`account:<id>`), whose rows triggers of the migration keep here, and requests that have imported it
 * (`request:<id>`), until what they write shows it, or that make one of its PNGs (`drawing:<key>`).
 */
export const imageUses = sqliteTable(
  'image_uses',
  {
    sha256: text('sha256').notNull(),
    user: text('user').notNull(),
    /** When the need ends by itself; null: with the row that shows the image. */
    expiresAt: integer('expires_at'),
  },
  (table) => [
    primaryKey({ columns: [table.sha256, table.user] }),
    index('image_uses_by_expiry').on(table.expiresAt).where(sql`expires_at is not null`),
  ],
);

/** Images whose last use has ended, deleted unless used again; a trigger of the migration writes the rows. */
export const imageChecks = sqliteTable(
  'image_checks',
  {
    sha256: text('sha256').primaryKey(),
    dueAt: integer('due_at').notNull(),
    /** Until then somebody deletes the files, and nobody may import the image; null: nobody does. */
    deletingUntilAt: integer('deleting_until_at'),
  },
  (table) => [index('image_checks_by_time').on(table.dueAt)],
);
