import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Public keys that users sign in with instead of a link (WebAuthn). */
export const passkeys = sqliteTable(
  'passkeys',
  {
    /** Credential ID in base64url, as the authenticator chose it. */
    id: text('id').primaryKey(),
    userId: text('user_id').notNull(),
    name: text('name').notNull(),
    /** COSE key in base64url. */
    publicKey: text('public_key').notNull(),
    /** Uses that the authenticator counted; a lower count means a copy. 0 for keys that several devices share. */
    counter: integer('counter').notNull(),
    /** How browsers reach the authenticator, such as `internal`. */
    transports: text('transports', { mode: 'json' }).$type<string[]>().notNull(),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [index('passkeys_by_user').on(table.userId, table.createdAt)],
);

/** Challenges for authenticators to sign, by their SHA-256. Each works once, in the browser that requested it. */
export const passkeyChallenges = sqliteTable(
  'passkey_challenges',
  {
    digest: text('digest').primaryKey(),
    browserDigest: text('browser_digest').notNull(),
    /** The user who creates a passkey; null: somebody signs in. */
    userId: text('user_id'),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('passkey_challenges_by_expiry').on(table.expiresAt)],
);
