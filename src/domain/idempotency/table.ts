import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Replies of requests that carried an `Idempotency-Key`, kept for 24 hours. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    accountId: text('account_id').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of method, path, query and body: a key belongs to one request. */
    requestDigest: text('request_digest').notNull(),
    /** Null while the first request is running. */
    status: integer('status'),
    headers: text('headers', { mode: 'json' }).$type<Record<string, string>>(),
    /** Encrypted; null without a body, `file` if it is in a file because it is too large for a row. */
    body: text('body'),
    /** When the last request under the key began; earlier than that, as if abandoned, once the key is free. */
    startedAt: integer('started_at').notNull(),
    /** When the first one began; null in rows of earlier releases. */
    firstStartedAt: integer('first_started_at'),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.key] }),
    index('idempotency_keys_by_start').on(table.startedAt),
  ],
);

/**
 * Passes that kept replies name, so that a reply is erased with its pass; the account instead of the pass if a reply
 * names none. Rows are stored in the order of time.
 */
export const replySubjects = sqliteTable(
  'reply_subjects',
  {
    passId: text('pass_id').notNull(),
    accountId: text('account_id').notNull(),
    key: text('key').notNull(),
    keptAt: integer('kept_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.passId, table.accountId, table.key] })],
);
