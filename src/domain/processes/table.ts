import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Operation } from './process-state.ts';

/**
 * Bulk operations, for lists. The process's object is authoritative: it writes its totals here every few seconds and at
 * its end.
 */
export const processes = sqliteTable(
  'processes',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** Operation on its passes. */
    kind: text('kind').$type<Operation['kind']>().notNull(),
    total: integer('total').notNull(),
    /** Processed items, including failed ones. */
    current: integer('current').notNull(),
    failed: integer('failed').notNull(),
    createdAt: integer('created_at').notNull(),
    finishedAt: integer('finished_at'),
    /** Last write of the object; the cron wakes an object that has been silent for too long. */
    mirroredAt: integer('mirrored_at').notNull(),
  },
  (table) => [
    index('processes_by_account').on(table.accountId, table.id),
    index('processes_open').on(table.mirroredAt).where(sql`finished_at is null`),
    index('processes_ended').on(table.finishedAt).where(sql`finished_at is not null`),
    // Processes whose objects hold items.
    index('processes_with_items').on(table.accountId, table.id).where(sql`finished_at is null or failed > 0`),
  ],
);

/**
 * Items of a process that were applied, one row per batch, written in the batch of the change. So a retried item is
 * known as done. The first item is part of the key, because no item is applied twice. Rows are deleted an hour after
 * the process ends.
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
