import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Operation } from './process-state.ts';

/**
 * Bulk operations that callers watch, as lists show them. The truth stands in the process's object, which writes its
 * totals here every few seconds and when it ends.
 */
export const processes = sqliteTable(
  'processes',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** What it does to its passes. */
    kind: text('kind').$type<Operation['kind']>().notNull(),
    total: integer('total').notNull(),
    /** Items that have been processed, failed ones among them. */
    current: integer('current').notNull(),
    failed: integer('failed').notNull(),
    createdAt: integer('created_at').notNull(),
    finishedAt: integer('finished_at'),
    /** When the object last wrote here; the cron wakes one that has fallen silent. */
    mirroredAt: integer('mirrored_at').notNull(),
  },
  (table) => [
    index('processes_by_account').on(table.accountId, table.id),
    index('processes_open').on(table.mirroredAt).where(sql`finished_at is null`),
    index('processes_ended').on(table.finishedAt).where(sql`finished_at is not null`),
    // Those whose objects hold items.
    index('processes_with_items').on(table.accountId, table.id).where(sql`finished_at is null or failed > 0`),
  ],
);

/**
 * Which items of a process have been applied: written in the batch of the change, one row for the items of a batch, so
 * that an item that is tried again is known as done. The first item is a key because no item is applied twice. Rows go
 * an hour after the process has ended.
 */
export const appliedItems = sqliteTable(
  'applied_items',
  {
    processId: text('process_id').notNull(),
    /** Smallest of the items' numbers. */
    firstItem: integer('first_item').notNull(),
    items: text('items', { mode: 'json' }).$type<number[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.processId, table.firstItem] })],
);
