import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** People who sign in to the account settings. There are no passwords. */
export const users = sqliteTable(
  'users',
  {
    id: text('id').primaryKey(),
    /** Lower case; the user signs in with it. */
    email: text('email').notNull().unique(),
    createdAt: integer('created_at').notNull(),
    /** When the user became an operator of the service, who sees its state and gets its alerts; null: no operator. */
    operatorSince: integer('operator_since'),
  },
  (table) => [index('users_operators').on(table.operatorSince).where(sql`operator_since is not null`)],
);

/** Privileges of users in accounts. */
export const memberships = sqliteTable(
  'memberships',
  {
    userId: text('user_id').notNull(),
    accountId: text('account_id').notNull(),
    privileges: text('privileges', { mode: 'json' }).$type<string[]>().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.accountId] }),
    index('memberships_by_account').on(table.accountId),
  ],
);

/** One-time sign-in links, by the SHA-256 of their token. */
export const signInTokens = sqliteTable(
  'sign_in_tokens',
  {
    digest: text('digest').primaryKey(),
    userId: text('user_id').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** SHA-256 of the secret of the only browser in which it works; null: any, because somebody else created it. */
    browserDigest: text('browser_digest'),
    /** Page of the console that it leads to; null: the first one. */
    returnPath: text('return_path'),
  },
  (table) => [
    index('sign_in_tokens_by_expiry').on(table.expiresAt),
    index('sign_in_tokens_by_user').on(table.userId, table.expiresAt),
  ],
);

/** Browser sessions, by the SHA-256 of their cookie. */
export const sessions = sqliteTable(
  'sessions',
  {
    digest: text('digest').primaryKey(),
    userId: text('user_id').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** When the current secret was created. */
    rotatedAt: integer('rotated_at').notNull(),
    /** SHA-256 of the previous secret, accepted until `previousUntilAt`. */
    previousDigest: text('previous_digest').unique(),
    previousUntilAt: integer('previous_until_at'),
    /** Identifier for its user; null: created by a release without identifiers, until its next use. */
    id: text('id'),
    /** Written once an hour, with the source of the request. */
    lastUsedAt: integer('last_used_at'),
    userAgent: text('user_agent'),
    address: text('address'),
    /** The passkey that the user signed in with, or created in this session; null: a link. */
    passkeyId: text('passkey_id'),
  },
  (table) => [index('sessions_by_user').on(table.userId), index('sessions_by_expiry').on(table.expiresAt)],
);

export type Session = typeof sessions.$inferSelect;
