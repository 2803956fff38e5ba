import { eq } from 'drizzle-orm';
import { randomToken } from '../../platform/ids.ts';
import { findRow, queryRow } from '../accounts/copies.ts';
import { type Context, inDatabase } from '../context.ts';
import { readMap } from '../databases/follow-moves.ts';
import { forEachDatabase, usedDatabases } from '../databases/list-databases.ts';
import { placeAccount, placedAt } from '../databases/place-account.ts';
import { DomainError, invalidField, notFound } from '../errors.ts';
import { linkTokenMoves, searchReindex } from '../passes/table.ts';
import { DIRECTORY, placeOfAccount } from '../shard-map.ts';
import { findMove, savePlace, takeMove } from './claim-move.ts';
import { completeMove } from './complete-move.ts';
import { beginCopying, comparePage, copyPage } from './copy-account.ts';
import { type Move, takenOverRefusal } from './copy-rows.ts';
import { forget, removeLeftovers, undo, undoDeleted } from './end-moves.ts';
import { STREAMED } from './moved-tables.ts';
import { releaseStray, switchOver } from './switch-account.ts';
import { type AccountMove, accountMoves } from './table.ts';
import { createTriggers, watchCopy } from './triggers.ts';

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
  /** The table that is being copied or compared; null: rows of an earlier copy are being removed. */
  table: string | null;
  isComparing?: boolean;
  done: false;
}

export type MoveReply = MovedAccount | MoveUnderWay;

/** A call returns after about this time, so that its caller sees progress. */
const CALL_MS_MAX = 20_000;
/** Attempts to finish. A comparison fails if something else changes or deletes rows of the copy meanwhile. */
const TRIES_MAX = 5;

/**
 * Moves an account to another database, or back while the move is under way, and continues an interrupted move. Callers
 * can always read; they can't write while the last changes are copied and the map changes. After the restore of a
 * database, it first makes sure that the account lives in one. Throws `invalid`, `conflict` and not found.
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
  const { known, homes } = await findMoves(ctx, accountId);
  if (await settleHome(ctx, accountId, homes)) return moveAccount(ctx, accountId, to, { msMax });
  const open = known.find(({ step }) => step !== 'moved');
  if (open) return resume(ctx, open, to, until);
  const from = placeOfAccount(ctx.env, accountId);
  if (from === null || !homes.includes(from)) throw notFound();
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

/** Returns the moves of an account that the databases have recorded, and the databases where it lives. */
async function findMoves(ctx: Context, accountId: string): Promise<{ known: KnownMove[]; homes: string[] }> {
  const lists = await forEachDatabase(ctx, async (there, { name }) => {
    const query = there.db.select().from(accountMoves).where(eq(accountMoves.accountId, accountId));
    const [moves, [row]] = await there.db.batch([query, queryRow(there, accountId)]);
    return { moves: moves.map((one) => ({ ...one, database: name })), homes: row?.livesIn === null ? [name] : [] };
  });
  return { known: lists.flatMap(({ moves }) => moves), homes: lists.flatMap(({ homes }) => homes) };
}

/**
 * Corrects what the restore of a database has left: an account that lives in two databases, or elsewhere than the map
 * says. Returns whether it did.
 */
async function settleHome(ctx: Context, accountId: string, homes: string[]): Promise<boolean> {
  const place = placeOfAccount(ctx.env, accountId);
  const [home] = homes;
  if (place !== null && homes.includes(place)) {
    const others = homes.filter((name) => name !== place);
    const released = others.map((name) => releaseStray(inDatabase(ctx, name), accountId, place));
    return (await Promise.all(released)).includes(true);
  }
  if (home === undefined || homes.length > 1) return false;
  await placeAccount(ctx, accountId, home, await placedAt(ctx, accountId));
  return placeOfAccount(ctx.env, accountId) === home;
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
    const unfinished = await copyTables(move, claim, until);
    if (unfinished) return { ...reply, ...unfinished, done: false };
    if (await completeMove(move, claim, target)) return resultOf(await get(move));
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
  await beginCopying(move, (await findRow(move.from, move.accountId)) ?? (await undoDeleted(move)));
  if ((await findMove(move))?.claim === claim) return;
  await removeLeftovers(move);
  throw takenOverRefusal();
}

/** What a command has left to do with the large tables. */
type Unfinished = Pick<MoveUnderWay, 'table' | 'isComparing'>;

/** Copies and compares the large tables from the saved place on. Returns where it is if it ran out of time. */
async function copyTables(move: Move, claim: string, until: number): Promise<Unfinished | undefined> {
  let { tableIndex, place, claim: current } = await get(move);
  if (current !== claim) throw takenOverRefusal();
  while (tableIndex < 2 * STREAMED.length) {
    const isComparing = tableIndex >= STREAMED.length;
    const table = STREAMED[tableIndex % STREAMED.length]!;
    if (Date.now() > until) return { table: table.name, isComparing };
    if (tableIndex === STREAMED.length && place === null) await watchCopy(move);
    const next: string | null = await (isComparing ? comparePage : copyPage)(move, table, place);
    [tableIndex, place] = next === null ? [tableIndex + 1, null] : [tableIndex, next];
    await savePlace(move, claim, { tableIndex, place });
  }
  return undefined;
}

async function get(move: Move): Promise<KnownMove> {
  const row = await findMove(move);
  if (!row) throw takenOverRefusal();
  return { ...row, database: move.from.database ?? DIRECTORY };
}

function resultOf({ accountId, database, target, rows, readOnlyMs }: KnownMove): MovedAccount {
  return { accountId, from: database, to: target, moved: rows ?? {}, readOnlyMs: readOnlyMs ?? 0 };
}
