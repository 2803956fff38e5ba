import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Google classes that are updated in place, and the content that Google has: each content is sent once. */
export const googleClasses = sqliteTable(
  'google_classes',
  {
    /** Identifier at Google, with the issuer's number in front. */
    id: text('id').primaryKey(),
    /** Digest of the content that Google has; null while it is being replaced. */
    digest: text('digest'),
    /** Identifies the replacement that began last. */
    claim: text('claim').notNull(),
    sentAt: integer('sent_at').notNull(),
  },
  (table) => [index('google_classes_by_sending').on(table.sentAt)],
);
