import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Actor } from '../context.ts';
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
    /** What created it and its identifier, as `Actor` has them; null for keys from before this was noted. */
    createdByType: text('created_by_type').$type<Actor['type']>(),
    createdById: text('created_by_id'),
    /** Templates that it is restricted to; null: all that the account has. */
    templateIds: text('template_ids', { mode: 'json' }).$type<string[]>(),
    /** Addresses and CIDR ranges that it may be used from; null: all. */
    allowedIps: text('allowed_ips', { mode: 'json' }).$type<string[]>(),
    /** Digest of the secret before the last rotation, which is good until then as well. */
    previousDigest: text('previous_digest'),
    previousUntil: integer('previous_until'),
  },
  (table) => [index('api_keys_by_account').on(table.accountId, table.id)],
);

export type ApiKey = typeof apiKeys.$inferSelect;
