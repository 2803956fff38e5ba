import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { withoutRowid } from '../../platform/raw-statement.ts';

/** Wallet whose devices are notified: `apple` through Apple's push service, `google` through Google Wallet. */
export type Wallet = 'apple' | 'google';
/**
 * Kind of a pending push: to a wallet, of the first object at Google that the save link names (`publication`), or to
 * one device (`device <pass type> <device>`).
 */
export type PushKind = Wallet | 'publication' | `device ${string}`;

/*
 * Transactional outbox of pushes. A row means that devices lack a change; it is written in the batch of the change and
 * deleted once they have it. The cron looks at unfinished rows at `due_at`. `claim` names the job in progress, valid
 * until then or until the time it begins with (`newClaim`).
 */
const work = {
  requestedAt: integer('requested_at').notNull(),
  /** When the work counts as abandoned, in UTC milliseconds. */
  dueAt: integer('due_at').notNull(),
  /**
   * Token of the job in progress. Removing it, for example by a newer change, keeps that job from finishing the row.
   */
  claim: text('claim'),
  /** Number of attempts. */
  attempts: integer('attempts').notNull(),
};

const push = {
  passId: text('pass_id').notNull(),
  wallet: text('wallet').$type<PushKind>().notNull(),
  accountId: text('account_id').notNull(),
  /** Text for the holder; null: the pass changed without a message. */
  text: text('text'),
  ...work,
  /**
   * Facts, joined by commas, that are added to the pass's timeline with the result of the push, so that they take no
   * row of their own (`pass-facts/append-facts.ts`).
   */
  facts: text('facts'),
};

/**
 * Changed or texted passes whose devices will be notified, if they are in a wallet; passes to create at Google; and
 * devices that registered with an outdated file. Rows live for seconds, so the cron scans them all: an index on
 * `due_at` would write one more row per push.
 */
export const pendingPushes = withoutRowid(
  sqliteTable('requested_pushes', push, (table) => [primaryKey({ columns: [table.passId, table.wallet] })]),
);

/** Pending pushes of releases before 0.2.0. The cron moves those that are due. */
export const earlierPendingPushes = sqliteTable('pending_pushes', push, (table) => [
  primaryKey({ columns: [table.passId, table.wallet] }),
  index('pending_pushes_due').on(table.dueAt),
]);

/** Effect of a fan-out on its passes. */
export type FanOutKind =
  /** Gives active passes a text and notifies all wallets. */
  | 'text'
  /** Notifies the Apple devices of active passes whose appearance changed. */
  | 'devices'
  /** Updates the objects of passes at Google. */
  | 'google';

/**
 * One push to many passes: those of a template, which are split into pages step by step, or a list. The row is deleted
 * with its last page.
 */
export const pushFanOuts = sqliteTable(
  'push_fan_outs',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    kind: text('kind').$type<FanOutKind>().notNull(),
    /** Null: a list of passes, whose pages were created with the fan-out. */
    templateId: text('template_id'),
    /** Text with placeholders, for kind `text`. */
    text: text('text'),
    /** Published template version, and the one before. Passes with a newer version don't change. */
    version: integer('version'),
    versionBefore: integer('version_before'),
    /** `passes.key` of the last pass that has a page. */
    cursor: integer('cursor').notNull(),
    createdAt: integer('created_at').notNull(),
    /** When splitting counts as abandoned, in UTC milliseconds; null: all pages exist. */
    dueAt: integer('due_at'),
    /** As in the other tables. */
    claim: text('claim'),
  },
  (table) => [index('push_fan_outs_due').on(table.dueAt).where(sql`due_at is not null`)],
);

/** Value of `last` for a page of which only some passes remain. */
export const NO_RANGE = 0;

/** Passes of a fan-out that one job notifies. */
export const pushPages = sqliteTable(
  'push_pages',
  {
    fanOutId: text('fan_out_id').notNull(),
    /** Smallest key of its passes. */
    number: integer('number').notNull(),
    /** Largest key of its passes; `NO_RANGE`: only those in `keys` remain. */
    last: integer('last').notNull(),
    /** JSON array with the `passes.key` of its passes. */
    keys: text('keys', { mode: 'json' }).$type<number[]>().notNull(),
    /**
     * Revision that the passes got with their text; 0: they don't have it yet; 1: an earlier release wrote the text to
     * the passes in `keys`.
     */
    revision: integer('is_written').notNull(),
    ...work,
  },
  (table) => [primaryKey({ columns: [table.fanOutId, table.number] }), index('push_pages_due').on(table.dueAt)],
);

export type PendingPush = typeof pendingPushes.$inferSelect;
export type PushFanOut = typeof pushFanOuts.$inferSelect;
export type PushPage = typeof pushPages.$inferSelect;
