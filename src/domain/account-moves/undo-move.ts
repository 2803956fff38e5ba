import { and, eq, inArray, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { randomToken } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { findRow, isNoCopy } from '../accounts/copies.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { PAGE_ROWS, pageOf } from '../purge.ts';
import { deleteQuotas } from '../quotas/move-use.ts';
import { findMove, hasClaim, isClaimed, takeToUndo } from './claim-move.ts';
import { beginCopying } from './copy-account.ts';
import { boundTo, inBatch, inBatchIf, type Move } from './copy-rows.ts';
import { COPIED_LAST, type MovedTable, OF_PASSES, PASSES, STREAMED } from './moved-tables.ts';
import { accountChanges, accountMoves } from './table.ts';
import { dropTriggers, unwatchCopy } from './triggers.ts';

/**
 * Ends a move before the switch: the account stays where it is, and its copy is deleted. Returns whether all of it is
 * gone. Throws `conflict` if the account is sealed.
 */
export async function undo(move: Move, isOver: () => boolean): Promise<boolean> {
  const { from, to, accountId } = move;
  const claim = randomToken();
  await takeToUndo(move, claim);
  await dropTriggers(from, accountId);
  await inBatch(to, unwatchCopy(move));
  const account = await findRow(from, accountId);
  // `removeCopy` finds deliveries through their webhooks, so it needs their rows.
  if (account) await beginCopying(move, account);
  if (!(await removeCopy(to, accountId, isOver))) return false;
  // Another command may have created them meanwhile. Without a copy, nobody can.
  await inBatch(to, unwatchCopy(move));
  await from.db.batch([
    from.db.delete(accountChanges).where(and(eq(accountChanges.accountId, accountId), hasClaim(accountId, claim))),
    from.db.delete(accountMoves).where(isClaimed(accountId, claim)),
  ]);
  return true;
}

/** Undoes the move of an account that was deleted meanwhile. Throws not found. */
export async function undoDeleted(move: Move): Promise<never> {
  await undo(move, () => false);
  throw notFound();
}

/** Removes what a command has added to a move that another command undid meanwhile. */
export async function removeLeftovers(move: Move): Promise<void> {
  if (await findMove(move)) return;
  await dropTriggers(move.from, move.accountId);
  await removeCopy(move.to, move.accountId, () => false);
  await inBatch(move.to, unwatchCopy(move));
}

/** Deletes the copy of an account that has moved away, and the record of the move. Returns whether all is gone. */
export async function forget(ctx: Context, accountId: string, isOver: () => boolean): Promise<boolean> {
  await endTriggers(ctx, accountId);
  if (!(await removeCopy(ctx, accountId, isOver))) return false;
  const isMoved = and(eq(accountMoves.accountId, accountId), eq(accountMoves.step, 'moved'));
  await ctx.db.delete(accountChanges).where(eq(accountChanges.accountId, accountId));
  await ctx.db.delete(accountMoves).where(isMoved);
  return true;
}

export async function endTriggers(ctx: Context, accountId: string): Promise<void> {
  await dropTriggers(ctx, accountId);
  await ctx.db.update(accountMoves).set({ hasTriggers: false }).where(eq(accountMoves.accountId, accountId));
}

/** Passes per page, each deleted with its dependent rows. */
const PAGE_PASSES = 250;

/**
 * Removes the copy of an account from a database that it does not live in, page by page until `isOver`. Returns whether
 * all of it is gone. Throws `conflict` if the account lives there.
 */
async function removeCopy(ctx: Context, accountId: string, isOver: () => boolean): Promise<boolean> {
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
