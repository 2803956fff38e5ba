import { inArray, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { rawStatement } from '../../platform/raw-statement.ts';
import { isNoCopy } from '../accounts/copies.ts';
import type { Context } from '../context.ts';
import { PAGE_ROWS, pageOf } from '../purge.ts';
import { deleteQuotas } from '../quotas/move-use.ts';
import { boundTo, inBatchIf } from './copy-rows.ts';
import { COPIED_LAST, type MovedTable, OF_PASSES, PASSES, STREAMED } from './moved-tables.ts';

/** Passes per page, each deleted with its dependent rows. */
const PAGE_PASSES = 250;

/**
 * Removes the copy of an account from a database that it does not live in, page by page until `isOver`. Returns whether
 * all of it is gone. Throws `conflict` if the account lives there.
 */
export async function removeCopy(ctx: Context, accountId: string, isOver: () => boolean): Promise<boolean> {
  // Rows that reference other rows of the account go before them.
  for (const table of [...STREAMED.toReversed(), ...COPIED_LAST.toReversed()]) {
    while (!(await removePage(ctx, accountId, table))) if (isOver()) return false;
  }
  await removeFrom(ctx, accountId, [deleteQuotas(ctx, accountId)]);
  return true;
}

/** Runs statements that remove rows, unless the account lives here: then this is no copy. */
function removeFrom(ctx: Context, accountId: string, statements: BatchItem<'sqlite'>[]): Promise<unknown[]> {
  return inBatchIf(ctx, sql`not ${isNoCopy(accountId)}`, statements);
}

/** Removes the account's rows from one table. */
export async function removeTable(ctx: Context, accountId: string, table: MovedTable): Promise<void> {
  while (!(await removePage(ctx, accountId, table)));
}

/** Removes a page of rows. Returns whether none are left. */
async function removePage(ctx: Context, accountId: string, table: MovedTable): Promise<boolean> {
  if (table === PASSES) return removePasses(ctx, accountId);
  const page = ctx.db.delete(table.table).where(pageOf(table.table, boundTo(accountId, table.of)));
  const [result] = await removeFrom(ctx, accountId, [page]);
  return (result as D1Result).meta.changes < PAGE_ROWS;
}

async function removePasses(ctx: Context, accountId: string): Promise<boolean> {
  const found = await rawStatement<{ id: string }>(
    ctx.db,
    sql`select id from passes where ${boundTo(accountId, PASSES.of)} limit ${PAGE_PASSES}`,
  );
  const isTarget = sql`id in (select value from json_each(${JSON.stringify(found.map(({ id }) => id))}))
    and ${boundTo(accountId, PASSES.of)}`;
  const listed = (by: 'id' | 'key') => sql`(select ${sql.raw(by)} from passes where ${isTarget})`;
  await removeFrom(ctx, accountId, [
    ...OF_PASSES.map(({ table, pass, by }) => ctx.db.delete(table).where(inArray(sql.raw(pass), listed(by)))),
    rawStatement(ctx.db, sql`delete from pass_terms where rowid in ${listed('key')}`),
    ctx.db.delete(PASSES.table).where(isTarget),
  ]);
  return found.length < PAGE_PASSES;
}
