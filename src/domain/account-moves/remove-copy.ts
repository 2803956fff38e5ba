import { inArray, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Context } from '../context.ts';
import { PAGE_ROWS, pageOf } from '../purge.ts';
import { deleteQuotas } from '../quotas/move-use.ts';
import { boundTo, inBatch } from './copy-rows.ts';
import { COPIED_LAST, type MovedTable, OF_PASSES, PASSES, STREAMED } from './moved-tables.ts';

/** Passes per page, each deleted with its dependent rows. */
const PAGE_PASSES = 250;

/**
 * Removes the copy of an account from a database that it does not live in, page by page until `isOver`. Returns whether
 * all of it is gone.
 */
export async function removeCopy(ctx: Context, accountId: string, isOver: () => boolean): Promise<boolean> {
  // Rows that reference other rows of the account go before them.
  for (const table of [...STREAMED.toReversed(), ...COPIED_LAST.toReversed()]) {
    while (!(await removePage(ctx, accountId, table))) if (isOver()) return false;
  }
  await deleteQuotas(ctx, accountId);
  return true;
}

/** Removes the account's rows from one table. */
export async function removeTable(ctx: Context, accountId: string, table: MovedTable): Promise<void> {
  while (!(await removePage(ctx, accountId, table)));
}

/** Removes a page of rows. Returns whether none are left. */
async function removePage(ctx: Context, accountId: string, table: MovedTable): Promise<boolean> {
  if (table === PASSES) return removePasses(ctx, accountId);
  const { meta } = await ctx.db.delete(table.table).where(pageOf(table.table, boundTo(accountId, table.of)));
  return meta.changes < PAGE_ROWS;
}

async function removePasses(ctx: Context, accountId: string): Promise<boolean> {
  const found = await rawStatement<{ id: string }>(
    ctx.db,
    sql`select id from passes where ${boundTo(accountId, PASSES.of)} limit ${PAGE_PASSES}`,
  );
  const isTarget = sql`id in (select value from json_each(${JSON.stringify(found.map(({ id }) => id))}))
    and ${boundTo(accountId, PASSES.of)}`;
  const listed = (by: 'id' | 'key') => sql`(select ${sql.raw(by)} from passes where ${isTarget})`;
  await inBatch(ctx, [
    ...OF_PASSES.map(({ table, pass, by }) => ctx.db.delete(table).where(inArray(sql.raw(pass), listed(by)))),
    rawStatement(ctx.db, sql`delete from pass_terms where rowid in ${listed('key')}`),
    ctx.db.delete(PASSES.table).where(isTarget),
  ]);
  return found.length < PAGE_PASSES;
}
