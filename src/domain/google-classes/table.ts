import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Google classes that are updated in place, and what Google has of them: each content is sent once. */
export const googleClasses = sqliteTable(
  'google_classes',
  {
    /** Identifier at Google, with the issuer's number in front. */
    id: text('id').primaryKey(),
    /** Digest of the content that Google has; null while somebody replaces it. */
    digest: text('digest'),
    /** Names the replacement that was begun last. */
    claim: text('claim').notNull(),
    sentAt: integer('sent_at').notNull(),
  },
  (table) => [index('google_classes_by_sending').on(table.sentAt)],
);
