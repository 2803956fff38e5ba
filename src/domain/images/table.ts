import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Users of a stored image. Triggers of the migration keep the rows of passes (`pass:<id>`), template versions
 * (`template:<id>:<version>`) and accounts (`account:<id>`). Imports (`request:<id>`) hold it until a row shows it, and
 * `drawing:<key>` while a PNG is drawn.
 */
export const imageUses = sqliteTable(
  'image_uses',
  {
    sha256: text('sha256').notNull(),
    user: text('user').notNull(),
    /** When the use expires; null: it ends with the row that shows the image. */
    expiresAt: integer('expires_at'),
  },
  (table) => [
    primaryKey({ columns: [table.sha256, table.user] }),
    index('image_uses_by_expiry').on(table.expiresAt).where(sql`expires_at is not null`),
  ],
);

/** Images whose last use ended. They are deleted unless used again. A trigger of the migration writes the rows. */
export const imageChecks = sqliteTable(
  'image_checks',
  {
    sha256: text('sha256').primaryKey(),
    dueAt: integer('due_at').notNull(),
    /** Until then the files are being deleted and nobody may import the image; null: no deletion runs. */
    deletingUntilAt: integer('deleting_until_at'),
  },
  (table) => [index('image_checks_by_time').on(table.dueAt)],
);
