import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** What a quota limits. */
export type Quota = 'passes' | 'activePasses' | 'messages' | 'requests' | 'subCustomers';

/**
 * Quotas of accounts, with their use, including that of all sub-customers. A row exists if the operator has set the
 * quota or, with a default, from the first use on. Without a row nothing is counted, so an account without quotas costs
 * nothing.
 */
export const accountQuotas = sqliteTable(
  'account_quotas',
  {
    accountId: text('account_id').notNull(),
    quota: text('quota').$type<Quota>().notNull(),
    /** Null: no limit. */
    max: integer('max'),
    used: integer('used').notNull(),
    /** When `used` starts over; null: never. Negative: the start of a period whose end the cron still has to find. */
    periodEndsAt: integer('period_ends_at'),
    /** The highest share in percent (80, 100) that the owners were notified of. */
    notifiedPercent: integer('told_percent').notNull(),
    /** When the cron notifies the owners; null: nothing to send. */
    notifyAt: integer('tell_at'),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.quota] }),
    index('account_quotas_to_tell').on(table.notifyAt).where(sql`tell_at is not null`),
    index('account_quotas_to_date').on(table.periodEndsAt).where(sql`period_ends_at < 0`),
  ],
);

export type AccountQuota = typeof accountQuotas.$inferSelect;
