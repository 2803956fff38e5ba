import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { withoutRowid } from '../../platform/row-key.ts';

/** Whose devices are notified: `apple` by Apple's push service, `google` by Google Wallet. */
export type Wallet = 'apple' | 'google';
/**
 * What a pass waits for: a push to a wallet, a first object at Google that its save link names (`publication`), or a
 * push to one device (`device <pass type> <device>`).
 */
export type PushKind = Wallet | 'publication' | `device ${string}`;

/*
 * The transactional outbox of pushes. A row says that devices lack a change; it is written in its batch, and goes
 * once they have got it. `due_at` says when the cron is to look at a row that nobody has finished; `claim` names who
 * works on it, and counts until then, or until the time that it begins with (`newClaim`).
 */
const work = {
  requestedAt: integer('requested_at').notNull(),
  /** When the work counts as abandoned. */
  dueAt: integer('due_at').notNull(),
  /**
   * Token of who works on the row. Who takes it away, by a newer change for example, keeps the holder from finishing
   * the row.
   */
  claim: text('claim'),
  /** How often it was begun. */
  attempts: integer('attempts').notNull(),
};

const push = {
  passId: text('pass_id').notNull(),
  wallet: text('wallet').$type<PushKind>().notNull(),
  accountId: text('account_id').notNull(),
  /** Text for the holder; null: the pass has changed, without a word. */
  text: text('text'),
  ...work,
  /**
   * Facts of the pass that go into its timeline with the answer to the push, joined by commas: so they cost no row of
   * their own (`pass-facts/append-facts.ts`).
   */
  facts: text('facts'),
};

/**
 * Passes that changed, or got a text, and whose devices will be notified: only passes in a wallet have such a row. Also
 * passes that Google is to get, and devices that have registered with an old file. Rows live for seconds, so the cron
 * looks at each: an index by `due_at` would be a written row of every push.
 */
export const pendingPushes = withoutRowid(
  sqliteTable('requested_pushes', push, (table) => [primaryKey({ columns: [table.passId, table.wallet] })]),
);

/** Where the release before 0.2.0 notes them; the cron moves what is due. */
export const earlierPendingPushes = sqliteTable('pending_pushes', push, (table) => [
  primaryKey({ columns: [table.passId, table.wallet] }),
  index('pending_pushes_due').on(table.dueAt),
]);

/** What a fan-out does to the passes it meets. */
export type FanOutKind =
  /** Gives active passes a text, and notifies all wallets. */
  | 'text'
  /** Notifies Apple's devices of active passes whose appearance has changed. */
  | 'devices'
  /** Makes the objects of passes at Google look as they do now. */
  | 'google';

/**
 * One push to many passes: those of a template, which are cut into pages one after another, or a list. The row goes
 * when its last page is done.
 */
export const pushFanOuts = sqliteTable(
  'push_fan_outs',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    kind: text('kind').$type<FanOutKind>().notNull(),
    /** Null: a list of passes, whose pages were made with it. */
    templateId: text('template_id'),
    /** Text, placeholders and all, of kind `text`. */
    text: text('text'),
    /** Template version that was published, and the one before; passes of a newer one do not change. */
    version: integer('version'),
    versionBefore: integer('version_before'),
    /** `passes.key` of the last pass that is in a page. */
    cursor: integer('cursor').notNull(),
    createdAt: integer('created_at').notNull(),
    /** When the making of pages counts as abandoned; null: all are made. */
    dueAt: integer('due_at'),
    /** As in the other tables. */
    claim: text('claim'),
  },
  (table) => [index('push_fan_outs_due').on(table.dueAt).where(sql`due_at is not null`)],
);

/** Passes of a fan-out that are pushed together. */
export const pushPages = sqliteTable(
  'push_pages',
  {
    fanOutId: text('fan_out_id').notNull(),
    /** Smallest key of its passes. */
    number: integer('number').notNull(),
    /** Largest key of its passes; 0: only those in `keys` are left. */
    last: integer('last').notNull(),
    /** JSON: `passes.key` of its passes. */
    keys: text('keys', { mode: 'json' }).$type<number[]>().notNull(),
    /**
     * The revision that passes got with their text; 0: they have not got it. 1: an earlier release has written it, to
     * those in `keys`.
     */
    revision: integer('is_written').notNull(),
    ...work,
  },
  (table) => [primaryKey({ columns: [table.fanOutId, table.number] }), index('push_pages_due').on(table.dueAt)],
);

export type PendingPush = typeof pendingPushes.$inferSelect;
export type PushFanOut = typeof pushFanOuts.$inferSelect;
export type PushPage = typeof pushPages.$inferSelect;
