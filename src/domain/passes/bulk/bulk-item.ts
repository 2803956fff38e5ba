import type { SQL } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { Issue } from '../../errors.ts';

/** An item of a bulk operation that could not be done, and why. */
export interface FailedItem {
  /** Sequence number of the item. */
  seq: number;
  issues: Issue[];
}

/**
 * The memory of which items of a bulk operation have been applied. It is read together with the passes and written in
 * the batch of the change, so that an item which is tried again is known as done; and a change applies only while its
 * pass has the version that was read, so that of two who try it at once one succeeds. Together: exactly once.
 */
export interface Ledger {
  /** The statement that reads which items have been applied; `notedItems` takes its rows. */
  query(): BatchItem<'sqlite'> & PromiseLike<{ items: number[] }[]>;
  /**
   * The statement that notes items as applied: `items` is a query that yields their numbers in a column `seq` when the
   * batch runs.
   */
  note(items: SQL): BatchItem<'sqlite'>;
}

/** The numbers in the rows of a ledger. */
export function notedItems(rows: { items: number[] }[]): Set<number> {
  return new Set(rows.flatMap((row) => row.items));
}

/**
 * Cuts a list into pieces that have at most `itemsMax` items and, together, at most `sizeMax` of what `sizeOf`
 * measures; an item above it stands alone.
 */
export function pieces<T>(
  list: T[],
  itemsMax: number,
  sizeMax = Number.POSITIVE_INFINITY,
  sizeOf: (item: T) => number = () => 0,
): T[][] {
  const cut: T[][] = [];
  let size = 0;
  for (const item of list) {
    const added = sizeOf(item);
    const last = cut.at(-1);
    if (last && last.length < itemsMax && size + added <= sizeMax) {
      last.push(item);
      size += added;
    } else {
      cut.push([item]);
      size = added;
    }
  }
  return cut;
}
