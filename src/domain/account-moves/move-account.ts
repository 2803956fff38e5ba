import { eq } from 'drizzle-orm';
import { randomToken } from '../../platform/ids.ts';
import { findRow } from '../accounts/copies.ts';
import type { Account } from '../accounts/table.ts';
import { type Context, inDatabase } from '../context.ts';
import { forEachDatabase, usedDatabases } from '../databases/list-databases.ts';
import { readMap } from '../databases/read-map.ts';
import { DomainError, invalidField, notFound } from '../errors.ts';
import { linkTokenMoves, searchReindex } from '../passes/table.ts';
import { DIRECTORY, placeOfAccount } from '../shard-map.ts';
import { findMove, savePlace, takeMove } from './claim-move.ts';
import { applyChanges, beginCopying, compareCounts, copyLast, copyPage } from './copy-account.ts';
import { type Move, takenOverRefusal } from './copy-rows.ts';
import { STREAMED } from './moved-tables.ts';
import { removeTable } from './remove-copy.ts';
import { block, seal, switchOver, unblock } from './switch-account.ts';
import { type AccountMove, accountMoves } from './table.ts';
import { createTriggers } from './triggers.ts';
import { forget, removeLeftovers, undo } from './undo-move.ts';

/** The result of a finished move. */
export interface MovedAccount {
  accountId: string;
  from: string;
  to: string;
  /** Rows by table. */
  moved: Record<string, number>;
  /** How long writes were refused. */
  readOnlyMs: number;
}

/** An unfinished move. The same call again continues it. */
export interface MoveUnderWay {
  accountId: string;
  from: string;
  to: string;
  /** The table that is being copied; null: rows of an earlier copy are being removed. */
  table: string | null;
  done: false;
}

export type MoveReply = MovedAccount | MoveUnderWay;

/** A call returns after about this time, so that its caller sees progress. */
const CALL_MS_MAX = 20_000;
/** If `applyChanges` finds fewer changes than this, writes are refused and the rest is copied. */
const FEW_CHANGES = 100;
const ROUNDS_MAX = 100;
/** Attempts to finish. A comparison can fail because the cron of the other database removes old rows meanwhile. */
const TRIES_MAX = 5;

/**
 * Moves an account to another database, or back while the move is under way, and continues an interrupted move. Callers
 * can always read; they can't write while the last changes are copied and the map changes. Throws `invalid`, `conflict`
 * and not found.
 */
export async function moveAccount(
  ctx: Context,
  accountId: string,
  to: string,
  { msMax = CALL_MS_MAX }: { msMax?: number } = {},
): Promise<MoveReply> {
  const names = (await usedDatabases(ctx)).map(({ name }) => name);
  if (!names.includes(to)) throw invalidField('to', `must be one of ${names.join(', ')}`);
  await readMap(ctx);
  const until = Date.now() + msMax;
  const known = await findMoves(ctx, accountId);
  const open = known.find(({ step }) => step !== 'moved');
  if (open) return resume(ctx, open, to, until);
  const from = placeOfAccount(ctx.env, accountId);
  if (from === null || !(await findRow(inDatabase(ctx, from), accountId))) throw notFound();
  if (from === to) {
    const last = known.find(({ target }) => target === to);
    return last ? resultOf(last) : { accountId, from, to, moved: {}, readOnlyMs: 0 };
  }
  // The account lived there before: its old copy goes first.
  const earlier = known.find(({ database }) => database === to);
  if (earlier && !(await forget(inDatabase(ctx, to), accountId, () => Date.now() > until)))
    return { accountId, from, to, table: null, done: false };
  return resume(ctx, await begin(ctx, accountId, from, to), to, until);
}

type KnownMove = AccountMove & { database: string };

/** Lists the moves of an account that the databases have recorded. */
async function findMoves(ctx: Context, accountId: string): Promise<KnownMove[]> {
  const lists = await forEachDatabase(ctx, async ({ db }, { name }) => {
    const rows = await db.select().from(accountMoves).where(eq(accountMoves.accountId, accountId));
    return rows.map((row) => ({ ...row, database: name }));
  });
  return lists.flat();
}

async function begin(ctx: Context, accountId: string, from: string, target: string): Promise<KnownMove> {
  await requireQuiet(inDatabase(ctx, from), from);
  await requireQuiet(inDatabase(ctx, target), target);
  const row: AccountMove = {
    ...{ accountId, target, step: 'copying', claim: randomToken(), tableIndex: 0, place: null, startedAt: Date.now() },
    ...{ blockedUntilAt: 0, isSealed: false, blockedAt: null, readOnlyMs: null, rows: null, movedAt: null },
    hasTriggers: true,
  };
  await inDatabase(ctx, from).db.insert(accountMoves).values(row).onConflictDoNothing();
  // Another command may have begun a move to another database.
  return get({ accountId, from: inDatabase(ctx, from), to: inDatabase(ctx, target) });
}

/** Throws `conflict` while an upgrade converts rows: it does so whatever account they belong to. */
async function requireQuiet({ db }: Context, name: string): Promise<void> {
  const [tokens, index] = await db.batch([
    db.select().from(linkTokenMoves).limit(1),
    db.select().from(searchReindex).limit(1),
  ]);
  if (tokens.length + index.length === 0) return;
  throw new DomainError('conflict', `${name} is still being upgraded; try again in a few minutes`);
}

async function resume(ctx: Context, known: KnownMove, to: string, until: number): Promise<MoveReply> {
  const { accountId, database: from, target, step } = known;
  const move: Move = { accountId, from: inDatabase(ctx, from), to: inDatabase(ctx, target) };
  const reply = { accountId, from, to: target };
  if (step === 'sealed') {
    await switchOver(move, target);
    return to === target ? resultOf(await get(move)) : moveAccount(ctx, accountId, to);
  }
  if (to === from || !known.hasTriggers) {
    const isUndone = await undo(move, () => Date.now() > until);
    if (!isUndone) return { ...reply, table: null, done: false };
    return to === from ? { accountId, from, to: from, moved: {}, readOnlyMs: 0 } : moveAccount(ctx, accountId, to);
  }
  if (to !== target) {
    const message = `The account is being moved to ${target}; move it to ${target} or back to ${from} first`;
    throw new DomainError('conflict', message);
  }
  const claim = randomToken();
  await takeMove(move, claim);
  await prepare(move, claim);
  for (let attempt = 1; ; attempt++) {
    const table = await copyTables(move, claim, until);
    if (table !== undefined) return { ...reply, table, done: false };
    if (await complete(move, claim, target)) return resultOf(await get(move));
    if (attempt === TRIES_MAX) {
      throw new DomainError(
        'conflict',
        'The final check found differences; the account is unchanged. Run the command again',
      );
    }
  }
}

/** Creates the triggers, and marks the account in the target as a copy. */
async function prepare(move: Move, claim: string): Promise<void> {
  await createTriggers(move.from, move.accountId);
  await beginCopying(move, await getAccount(move));
  if ((await findMove(move))?.claim === claim) return;
  await removeLeftovers(move);
  throw takenOverRefusal();
}

/** Returns the account's row. If the account was deleted during the move, undoes the move and throws not found. */
async function getAccount(move: Move): Promise<Account> {
  const account = await findRow(move.from, move.accountId);
  if (account) return account;
  await undo(move, () => false);
  throw notFound();
}

/** Copies the large tables from the saved place on. Returns the current table if it ran out of time. */
async function copyTables(move: Move, claim: string, until: number): Promise<string | undefined> {
  for (;;) {
    const { tableIndex, place, claim: current } = await get(move);
    if (current !== claim) throw takenOverRefusal();
    const table = STREAMED[tableIndex];
    if (!table) return undefined;
    if (Date.now() > until) return table.name;
    const next = await copyPage(move, table, place);
    await savePlace(
      move,
      claim,
      next === null ? { tableIndex: tableIndex + 1, place: null } : { tableIndex, place: next },
    );
  }
}

/**
 * Copies the last changes while writes are refused, compares, and switches. Returns false if a table differs and must
 * be copied again, or if it took too long.
 */
async function complete(move: Move, claim: string, target: string): Promise<boolean> {
  for (let round = 0; round < ROUNDS_MAX; round++) if ((await applyChanges(move, claim)) < FEW_CHANGES) break;
  if (!(await block(move, claim, true))) throw takenOverRefusal();
  const stayBlocked = async () => {
    if (!(await block(move, claim, false))) throw new BlockOver();
  };
  try {
    // Until the block ends, nobody can delete the account.
    await getAccount(move);
    while ((await applyChanges(move, claim)) > 0) await stayBlocked();
    const small = await copyLast(move, stayBlocked);
    const { rows, differing } = await compareCounts(move);
    if (differing.length > 0) {
      await unblock(move, claim);
      for (const table of differing) await removeTable(move.to, move.accountId, table);
      await savePlace(move, claim, {
        tableIndex: Math.min(...differing.map((table) => STREAMED.indexOf(table))),
        place: null,
      });
      return false;
    }
    if (!(await seal(move, claim, { ...rows, ...small }))) return false;
  } catch (error) {
    if (error instanceof BlockOver) return false;
    await unblock(move, claim);
    throw error;
  }
  await switchOver(move, target);
  return true;
}

/** The block on writes ended before the work was done. */
class BlockOver extends Error {}

async function get(move: Move): Promise<KnownMove> {
  const row = await findMove(move);
  if (!row) throw takenOverRefusal();
  return { ...row, database: move.from.database ?? DIRECTORY };
}

function resultOf({ accountId, database, target, rows, readOnlyMs }: KnownMove): MovedAccount {
  return { accountId, from: database, to: target, moved: rows ?? {}, readOnlyMs: readOnlyMs ?? 0 };
}
