import { and, eq, sql } from 'drizzle-orm';
import { type Move, takenOverRefusal } from './copy-rows.ts';
import { type AccountMove, accountMoves } from './table.ts';

/*
 * A command works on a move as long as it holds its claim and the move is still in the step that the command has read.
 * Each of its statements checks both, because a later command may take over at any moment.
 */

/** Builds the condition that a command works on a move whose account has not been sealed. */
export function isClaimed(accountId: string, claim: string) {
  return and(eq(accountMoves.accountId, accountId), eq(accountMoves.claim, claim), eq(accountMoves.step, 'copying'));
}

/** Builds the same condition for statements on other tables. */
export const hasClaim = (accountId: string, claim: string) =>
  sql`exists (select 1 from ${accountMoves} where ${isClaimed(accountId, claim)})`;

/** Builds the query for the record of a move. */
export function queryMove({ from, accountId }: Move) {
  return from.db.select().from(accountMoves).where(eq(accountMoves.accountId, accountId));
}

/** Returns the record of a move; undefined if the move was undone. */
export async function findMove(move: Move): Promise<AccountMove | undefined> {
  const [row] = await queryMove(move);
  return row;
}

/** Takes over a move whose account is copied, to continue it. Throws `conflict` if it is sealed or being undone. */
export async function takeMove(move: Move, claim: string): Promise<void> {
  await take(move, { claim, blockedUntilAt: 0 }, eq(accountMoves.hasTriggers, true));
}

/**
 * Takes over a move to undo it, which can't be reversed. Without triggers, changes are not recorded, so a later move
 * starts over. Throws `conflict` if the account is sealed.
 */
export async function takeToUndo(move: Move, claim: string): Promise<void> {
  await take(move, { claim, blockedUntilAt: 0, hasTriggers: false, tableIndex: 0, place: null });
}

async function take({ from, accountId }: Move, values: Partial<AccountMove>, condition = sql`true`): Promise<void> {
  const { meta } = await from.db
    .update(accountMoves)
    .set(values)
    .where(and(eq(accountMoves.accountId, accountId), eq(accountMoves.step, 'copying'), condition));
  if (meta.changes === 0) throw takenOverRefusal();
}

/** Stores the place that a command has reached. Throws `conflict` if another command took over. */
export async function savePlace(
  { from, accountId }: Move,
  claim: string,
  place: Pick<AccountMove, 'tableIndex' | 'place'>,
): Promise<void> {
  const { meta } = await from.db.update(accountMoves).set(place).where(isClaimed(accountId, claim));
  if (meta.changes === 0) throw takenOverRefusal();
}
