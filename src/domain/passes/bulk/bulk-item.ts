import type { SQL } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { Issue } from '../../errors.ts';

/** Item of a bulk operation that failed, with the reason. */
export interface FailedItem {
  /** Sequence number of the item. */
  seq: number;
  issues: Issue[];
}

/**
 * Record of the applied items of a bulk operation. It is read with the passes and written in the batch of the change,
 * so a retried item is known as done. A change applies only to the version that was read, so one of two concurrent
 * attempts succeeds. Together: exactly once.
 */
export interface Ledger {
  /** Builds the query of the applied items; `notedItems` reads its rows. */
  query(): BatchItem<'sqlite'> & PromiseLike<{ items: number[] }[]>;
  /**
   * Builds the statement that records items as applied. `items` is a query of their numbers, in a column `seq`, run in
   * the batch.
   */
  note(items: SQL): BatchItem<'sqlite'>;
}

/** Returns the numbers in the rows of a ledger. */
export function notedItems(rows: { items: number[] }[]): Set<number> {
  return new Set(rows.flatMap((row) => row.items));
}
