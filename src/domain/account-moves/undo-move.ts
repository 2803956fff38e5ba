import { and, eq } from 'drizzle-orm';
import { randomToken } from '../../platform/ids.ts';
import { findRow } from '../accounts/copies.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { findMove, hasClaim, isClaimed, takeToUndo } from './claim-move.ts';
import { beginCopying } from './copy-account.ts';
import { inBatch, type Move } from './copy-rows.ts';
import { removeCopy } from './remove-copy.ts';
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
