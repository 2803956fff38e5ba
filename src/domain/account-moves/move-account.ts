import { and, eq, gte, isNull, or } from 'drizzle-orm';
import { randomToken } from '../../platform/ids.ts';
import { findRow } from '../accounts/copies.ts';
import { type Context, inDatabase } from '../context.ts';
import { forEachDatabase, usedDatabases } from '../databases/list-databases.ts';
import { readMap } from '../databases/read-map.ts';
import { DomainError, invalidField, notFound } from '../errors.ts';
import { linkTokenMoves, searchReindex } from '../passes/table.ts';
import { processes } from '../processes/table.ts';
import { DIRECTORY, placeOfAccount } from '../shard-map.ts';
import { applyChanges, beginCopying, compareCounts, copyLast, copyPage } from './copy-account.ts';
import type { Move } from './copy-rows.ts';
import { STREAMED } from './moved-tables.ts';
import { removeCopy, removeTable } from './remove-copy.ts';
import { block, seal, switchOver, unblock } from './switch-account.ts';
import { type AccountMove, accountChanges, accountMoves } from './table.ts';
import { createTriggers, dropTriggers } from './triggers.ts';

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
  return { ...row, database: from };
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
  if (to === from) return undo(move, until, reply);
  if (to !== target) {
    const message = `The account is being moved to ${target}; move it to ${target} or back to ${from} first`;
    throw new DomainError('conflict', message);
  }
  const claim = randomToken();
  await take(move, claim);
  await createTriggers(move.from, accountId);
  const account = await findRow(move.from, accountId);
  // The account was deleted during the move.
  if (!account) {
    await undo(move, Number.POSITIVE_INFINITY, reply);
    throw notFound();
  }
  await beginCopying(move, account);
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

/** Copies the large tables from the saved place on. Returns the current table if it ran out of time. */
async function copyTables(move: Move, claim: string, until: number): Promise<string | undefined> {
  for (;;) {
    const { tableIndex, place } = await get(move);
    const table = STREAMED[tableIndex];
    if (!table) return undefined;
    if (Date.now() > until) return table.name;
    const next = await copyPage(move, table, place);
    await save(move, claim, next === null ? { tableIndex: tableIndex + 1, place: null } : { tableIndex, place: next });
  }
}

/**
 * Copies the last changes while writes are refused, compares, and switches. Returns false if a table differs and must
 * be copied again, or if it took too long.
 */
async function complete(move: Move, claim: string, target: string): Promise<boolean> {
  for (let round = 0; round < ROUNDS_MAX; round++) if ((await applyChanges(move)) < FEW_CHANGES) break;
  if (!(await block(move, claim, true))) throw takenOverRefusal();
  const stayBlocked = async () => {
    if (!(await block(move, claim, false))) throw new BlockOver();
  };
  try {
    while ((await applyChanges(move)) > 0) await stayBlocked();
    const small = await copyLast(move, stayBlocked);
    const { rows, differing } = await compareCounts(move);
    if (differing.length > 0) {
      await unblock(move, claim);
      for (const table of differing) await removeTable(move.to, move.accountId, table);
      await save(move, claim, {
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

async function get({ from, accountId }: Move): Promise<KnownMove> {
  const [row] = await from.db.select().from(accountMoves).where(eq(accountMoves.accountId, accountId));
  if (!row) throw takenOverRefusal();
  return { ...row, database: from.database ?? DIRECTORY };
}

async function take({ from, accountId }: Move, claim: string): Promise<void> {
  await from.db
    .update(accountMoves)
    .set({ claim, hasTriggers: true, blockedUntilAt: 0 })
    .where(eq(accountMoves.accountId, accountId));
}

async function save({ from, accountId }: Move, claim: string, place: Partial<AccountMove>): Promise<void> {
  const isMine = and(eq(accountMoves.accountId, accountId), eq(accountMoves.claim, claim));
  const { meta } = await from.db.update(accountMoves).set(place).where(isMine);
  if (meta.changes === 0) throw takenOverRefusal();
}

function takenOverRefusal(): DomainError {
  return new DomainError('conflict', 'Another command is already working on this move');
}

function resultOf({ accountId, database, target, rows, readOnlyMs }: KnownMove): MovedAccount {
  return { accountId, from: database, to: target, moved: rows ?? {}, readOnlyMs: readOnlyMs ?? 0 };
}

/** Ends a move before the switch: the account stays where it is, and its copy is deleted. */
async function undo(
  move: Move,
  until: number,
  reply: Pick<MovedAccount, 'accountId' | 'from' | 'to'>,
): Promise<MoveReply> {
  const { from, to, accountId } = move;
  const claim = randomToken();
  await take(move, claim);
  // Without triggers, changes are not recorded, so a later move must start over.
  await save(move, claim, { tableIndex: 0, place: null });
  await dropTriggers(from, accountId);
  const account = await findRow(from, accountId);
  // `removeCopy` finds deliveries through their webhooks, so it needs their rows.
  if (account) await beginCopying(move, account);
  if (!(await removeCopy(to, accountId, () => Date.now() > until))) return { ...reply, table: null, done: false };
  await from.db.delete(accountChanges).where(eq(accountChanges.accountId, accountId));
  await from.db.delete(accountMoves).where(eq(accountMoves.accountId, accountId));
  return { accountId, from: move.from.database ?? DIRECTORY, to: reply.from, moved: {}, readOnlyMs: 0 };
}

/** Deletes the copy of an account that has moved away, and the record of the move. Returns whether all is gone. */
async function forget(ctx: Context, accountId: string, isOver: () => boolean): Promise<boolean> {
  await endTriggers(ctx, accountId);
  if (!(await removeCopy(ctx, accountId, isOver))) return false;
  await ctx.db.delete(accountChanges).where(eq(accountChanges.accountId, accountId));
  await ctx.db.delete(accountMoves).where(eq(accountMoves.accountId, accountId));
  return true;
}

async function endTriggers(ctx: Context, accountId: string): Promise<void> {
  await dropTriggers(ctx, accountId);
  await ctx.db.update(accountMoves).set({ hasTriggers: false }).where(eq(accountMoves.accountId, accountId));
}

/** By then, work that began before the switch has ended, and each isolate knows the new map. */
const STRAGGLERS_MS = 15 * 60_000;
const KEPT_MS = 24 * 60 * 60_000;
/** A live command finishes the switch within seconds. */
const ABANDONED_MS = 60_000;
/** Time limit of one run. */
const RUN_MS = 20_000;

/**
 * Cron task: finishes switches whose command died, and drops the triggers 15 minutes after a switch. Deletes the old
 * copy page by page: a day after the switch, or with the triggers if a person was erased since.
 */
export async function tidyMoves(ctx: Context, now = Date.now()): Promise<void> {
  const moves = await ctx.db.select().from(accountMoves);
  const until = Date.now() + RUN_MS;
  for (const { accountId, target, step, blockedAt, movedAt, hasTriggers } of moves) {
    const move: Move = { accountId, from: ctx, to: inDatabase(ctx, target) };
    if (step === 'sealed' && (blockedAt ?? 0) < now - ABANDONED_MS) await switchOver(move, target);
    if (step === 'copying' && !(await findRow(ctx, accountId))) {
      await undo(move, until, { accountId, from: ctx.database ?? DIRECTORY, to: target });
    }
    if (step !== 'moved' || movedAt === null) continue;
    if (movedAt >= now - STRAGGLERS_MS) continue;
    if (hasTriggers) await endTriggers(ctx, accountId);
    const isOver = movedAt < now - KEPT_MS || (await hasErased(ctx, accountId, movedAt));
    if (isOver) await forget(ctx, accountId, () => Date.now() > until);
  }
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
