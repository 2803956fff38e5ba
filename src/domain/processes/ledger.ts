import { and, between, eq, sql } from 'drizzle-orm';
import type { Db } from '../../platform/db.ts';
import type { AccountContext } from '../context.ts';
import { type Ledger, notedItems } from '../passes/bulk/bulk-item.ts';
import { ALL, purge } from '../purge.ts';
import { RANGE_ITEMS_MAX } from './process-state.ts';
import type { Range } from './range-store.ts';
import { appliedItems } from './table.ts';

/** Returns the ledger of one range of a process. */
export function ledgerOf(ctx: AccountContext, processId: string, { first, last }: Range): Ledger {
  return {
    query: () => appliedQuery(ctx.db, processId, first, last),
    note: (items) =>
      ctx.db
        .insert(appliedItems)
        .select(
          sql`select ${processId}, min(noted.seq), json_group_array(noted.seq) from (${items}) as noted having count(*) > 0`,
        )
        .onConflictDoUpdate({
          target: [appliedItems.processId, appliedItems.firstItem],
          set: {
            items: sql`(select json_group_array(value) from (
              select value from json_each(${appliedItems.items}) union select value from json_each(excluded.items)))`,
          },
        }),
  };
}

/** Returns the items of a process that were already applied. One round trip. */
export async function findApplied(db: Db, processId: string, items: number[]): Promise<Set<number>> {
  return notedItems(await appliedQuery(db, processId, Math.min(...items), Math.max(...items)));
}

function appliedQuery(db: Db, processId: string, first: number, last: number) {
  // An item may be recorded under an earlier range that was split since, whose first item precedes this one.
  const mayHave = between(appliedItems.firstItem, first - RANGE_ITEMS_MAX + 1, last);
  return db
    .select({ items: appliedItems.items })
    .from(appliedItems)
    .where(and(eq(appliedItems.processId, processId), mayHave));
}

/** Removes the ledger of a process. */
export async function pruneLedger(db: Db, processId: string): Promise<void> {
  await purge({ db }, appliedItems, eq(appliedItems.processId, processId), ALL);
}
