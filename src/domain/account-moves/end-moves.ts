import { and, eq, gte, inArray, isNull, or, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { slicesOf } from '../../platform/chunks.ts';
import { isUuid, randomToken } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { findRow, isNoCopy } from '../accounts/copies.ts';
import { accounts } from '../accounts/table.ts';
import { type Context, inDatabase } from '../context.ts';
import { findPlace } from '../databases/place-account.ts';
import { notFound } from '../errors.ts';
import { processes } from '../processes/table.ts';
import { PAGE_ROWS, pageOf } from '../purge.ts';
import { deleteQuotas } from '../quotas/move-use.ts';
import { DIRECTORY, knownMap, placeOfAccount } from '../shard-map.ts';
import { findMove, hasClaim, isClaimed, takeToUndo } from './claim-move.ts';
import { beginCopying } from './copy-account.ts';
import { boundTo, inBatch, inBatchIf, type Move } from './copy-rows.ts';
import { COPIED_LAST, type MovedTable, OF_PASSES, PASSES, STREAMED } from './moved-tables.ts';
import { releaseStray, switchOver } from './switch-account.ts';
import { type AccountMove, accountChanges, accountMoves } from './table.ts';
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

async function endTriggers(ctx: Context, accountId: string): Promise<void> {
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

/** By then, work that began before the switch has ended, and each isolate knows the new map. */
const STRAGGLERS_MS = 15 * 60_000;
const KEPT_MS = 24 * 60 * 60_000;
/** A live command finishes the switch within seconds. */
const ABANDONED_MS = 60_000;
/** Time limit of one run. */
const RUN_MS = 20_000;
/** Accounts of one statement. */
const STRAYS_AT_ONCE = 10_000;

/**
 * Cron task: finishes switches whose command died, and drops the triggers 15 minutes after a switch. Deletes the old
 * copy in pages: a day after the switch, or with the triggers if a person was erased since. Turns accounts that a
 * restore has brought back into old copies. Throws the first failure.
 */
export async function tidyMoves(ctx: Context, now = Date.now()): Promise<void> {
  const failures: unknown[] = [];
  const noteFailure = (error: unknown) => void failures.push(error);
  for (const accountId of await findStrays(ctx)) await tidyStray(ctx, accountId).catch(noteFailure);
  const moves = await ctx.db.select().from(accountMoves);
  const until = Date.now() + RUN_MS;
  // A move that fails must not delay the others.
  for (const one of moves) await tidyMove(ctx, one, { now, until }).catch(noteFailure);
  if (failures.length > 0) throw failures[0];
}

/** Returns the accounts that live here, although the map names another database for them. */
async function findStrays({ env, db, database = DIRECTORY }: Context): Promise<string[]> {
  const elsewhere = [...knownMap(env).places].flatMap(([subject, place]) =>
    place === database || !isUuid(subject) ? [] : subject,
  );
  const lists = slicesOf(elsewhere, STRAYS_AT_ONCE).map((ids) =>
    db
      .select({ id: accounts.id })
      .from(accounts)
      .where(
        and(sql`${accounts.id} in (select value from json_each(${JSON.stringify(ids)}))`, isNull(accounts.livesIn)),
      ),
  );
  return (await Promise.all(lists)).flat().map(({ id }) => id);
}

/** Releases an account that a restore has brought back here, as long as the directory still names another database. */
async function tidyStray(ctx: Context, accountId: string): Promise<void> {
  const place = await findPlace(ctx, accountId);
  if (place) await releaseStray(ctx, accountId, place.database);
}

async function tidyMove(
  ctx: Context,
  { accountId, target, step, blockedAt, movedAt, hasTriggers }: AccountMove,
  { now, until }: { now: number; until: number },
): Promise<void> {
  const move: Move = { accountId, from: ctx, to: inDatabase(ctx, target) };
  const isOver = () => Date.now() > until;
  if (step === 'sealed' && (blockedAt ?? 0) < now - ABANDONED_MS) await switchOver(move, target);
  if (step === 'copying' && !(await findRow(ctx, accountId))) await undo(move, isOver);
  if (step !== 'moved' || movedAt === null) return;
  if (movedAt >= now - STRAGGLERS_MS) return;
  if (hasTriggers) await endTriggers(ctx, accountId);
  if (movedAt < now - KEPT_MS || (await hasErased(ctx, accountId, movedAt))) await forget(ctx, accountId, isOver);
}

/** Returns whether a person was erased since the move: the old copy still holds that person's data. */
async function hasErased(ctx: Context, accountId: string, movedAt: number): Promise<boolean> {
  const place = placeOfAccount(ctx.env, accountId);
  if (place === null) return false;
  const isSince = or(isNull(processes.finishedAt), gte(processes.finishedAt, movedAt));
  const found = await inDatabase(ctx, place)
    .db.select({ id: processes.id })
    .from(processes)
    .where(and(eq(processes.accountId, accountId), eq(processes.kind, 'erase'), isSince))
    .limit(1);
  return found.length > 0;
}
