import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** People who sign in to the account settings. There are no passwords. */
export const users = sqliteTable(
  'users',
  {
    id: text('id').primaryKey(),
    /** Lower case; the name under which a user signs in. */
    email: text('email').notNull().unique(),
    createdAt: integer('created_at').notNull(),
    /** Since when the user is an operator of the service, who sees its state and gets its alerts; null: is none. */
    operatorSince: integer('operator_since'),
  },
  (table) => [index('users_operators').on(table.operatorSince).where(sql`operator_since is not null`)],
);

/** Which user may do what in which account. */
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
    /** SHA-256 of the secret of the one browser in which it works; null: any, as somebody else made it. */
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
    /** When the present secret was made. */
    rotatedAt: integer('rotated_at').notNull(),
    /** SHA-256 of the secret before, accepted until `previousUntilAt`. */
    previousDigest: text('previous_digest').unique(),
    previousUntilAt: integer('previous_until_at'),
    /** Names it to its user; null: made by a release that had no names, until its next use. */
    id: text('id'),
    /** Written once an hour, with where the request came from. */
    lastUsedAt: integer('last_used_at'),
    userAgent: text('user_agent'),
    address: text('address'),
    /** The passkey with which the user signed in, or which the user created in it; null: a link. */
    passkeyId: text('passkey_id'),
  },
  (table) => [index('sessions_by_user').on(table.userId), index('sessions_by_expiry').on(table.expiresAt)],
);

export type Session = typeof sessions.$inferSelect;
