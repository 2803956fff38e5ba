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
    /** The 16 characters after `pk_`, which find the row. */
    lookup: text('lookup').notNull().unique(),
    /** SHA-256 of the 43 secret characters, lower-case hexadecimal. */
    secretDigest: text('secret_digest').notNull(),
    active: integer('active', { mode: 'boolean' }).notNull().default(true),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    expiresAt: integer('expires_at'),
    /** Scopes of the key. Keys from before scopes may do everything. */
    scopes: text('scopes', { mode: 'json' }).$type<Scopes>().notNull().default(['*']),
    /** Display name of the creator, such as a user's e-mail address; null if it was not recorded. */
    createdBy: text('created_by'),
    /** Type and identifier of the creator, as in `Actor`; null for keys from before this was recorded. */
    createdByType: text('created_by_type').$type<Actor['type']>(),
    createdById: text('created_by_id'),
    /** Templates that the key is restricted to; null: all. */
    templateIds: text('template_ids', { mode: 'json' }).$type<string[]>(),
    /** Addresses and CIDR ranges that the key may be used from; null: all. */
    allowedIps: text('allowed_ips', { mode: 'json' }).$type<string[]>(),
    /** Digest of the secret before the last rotation, valid until `previousUntil`. */
    previousDigest: text('previous_digest'),
    previousUntil: integer('previous_until'),
  },
  (table) => [index('api_keys_by_account').on(table.accountId, table.id)],
);

export type ApiKey = typeof apiKeys.$inferSelect;
