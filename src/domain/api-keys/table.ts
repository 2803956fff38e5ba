import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Scopes } from './scopes.ts';

/** API keys. The secret part is stored as a digest only. */
export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    name: text('name').notNull(),
    /** The 16 characters after `pk_`: they find the row. */
    lookup: text('lookup').notNull().unique(),
    /** SHA-256 of the 43 secret characters, lower-case hexadecimal. */
    secretDigest: text('secret_digest').notNull(),
    active: integer('active', { mode: 'boolean' }).notNull().default(true),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    expiresAt: integer('expires_at'),
    /** What it may do; keys from before scopes may do everything. */
    scopes: text('scopes', { mode: 'json' }).$type<Scopes>().notNull().default(['*']),
    /** Who created it, as it is shown: the e-mail address of a user; null where nobody noted it. */
    createdBy: text('created_by'),
  },
  (table) => [index('api_keys_by_account').on(table.accountId, table.id)],
);

export type ApiKey = typeof apiKeys.$inferSelect;
