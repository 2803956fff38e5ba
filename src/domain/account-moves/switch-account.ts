import { and, eq, gt, isNotNull, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { randomToken } from '../../platform/ids.ts';
import { logLine } from '../../platform/log.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { beginCopy, endCopy, findRow, isNoCopy, queryRow } from '../accounts/copies.ts';
import { type Account, accounts } from '../accounts/table.ts';
import { recordAction } from '../audit/record-action.ts';
import { enqueueSoon } from '../commit.ts';
import { type Context, inDatabase } from '../context.ts';
import { placeAccount, placedAt } from '../databases/place-account.ts';
import { notFound } from '../errors.ts';
import { copyQuotas, quotasOf, releaseUse } from '../quotas/move-use.ts';
import { DIRECTORY } from '../shard-map.ts';
import { silence } from '../webhooks/copy-subscriptions.ts';
import { findMove, isClaimed, queryMove } from './claim-move.ts';
import { boundTo, inBatch, inBatchIf, inCopy, type Move } from './copy-rows.ts';
import { COPIED_LAST } from './moved-tables.ts';
import { type AccountMove, accountChanges, accountMoves } from './table.ts';
import { unwatchCopy } from './triggers.ts';

/** The database's clock, which the triggers use as well. */
const NOW = sql`unixepoch('subsec') * 1000`;

/** How long the triggers refuse writes. A live command extends it. */
const BLOCK_MS = 20_000;

/**
 * Blocks writes through the triggers, or extends the block, and runs statements in the same batch. Returns their
 * results, or undefined if the block had ended or another command took over: callers may have written.
 */
export async function block(
  { from, accountId }: Move,
  claim: string,
  isFirst: boolean,
  statements: BatchItem<'sqlite'>[],
): Promise<unknown[] | undefined> {
  const isTarget = isClaimed(accountId, claim);
  const [blocked, ...results] = await inBatch(from, [
    from.db
      .update(accountMoves)
      .set({ blockedUntilAt: sql`${NOW} + ${BLOCK_MS}`, ...(isFirst && { blockedAt: Date.now() }) })
      .where(isFirst ? isTarget : and(isTarget, gt(accountMoves.blockedUntilAt, NOW))),
    ...statements,
  ]);
  return (blocked as D1Result).meta.changes > 0 ? results : undefined;
}

/** Ends the block, so that callers can write again. */
export async function unblock({ from, accountId }: Move, claim: string): Promise<void> {
  await from.db.update(accountMoves).set({ blockedUntilAt: 0 }).where(isClaimed(accountId, claim));
  deliverEvents(from, accountId);
}

/** Schedules delivery of the events that waited while writes were refused. */
function deliverEvents(home: Context, accountId: string): void {
  enqueueSoon(home, [{ type: 'fan-out-events', accountId }]);
}

/** Refuses all further writes here, if none were possible since the copy was compared. Returns whether it succeeded. */
export async function seal({ from, accountId }: Move, claim: string, rows: Record<string, number>): Promise<boolean> {
  const { meta } = await from.db
    .update(accountMoves)
    .set({ isSealed: true, step: 'sealed', rows })
    // Not `isClaimed`: a retry after a transient error finds it sealed, and nobody takes over a sealed move.
    .where(
      and(eq(accountMoves.accountId, accountId), eq(accountMoves.claim, claim), gt(accountMoves.blockedUntilAt, NOW)),
    );
  return meta.changes > 0;
}

/** Runs a step, unless another command, the cron or a retry has done it meanwhile. */
async function doOnce(step: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(await isDone())) throw error;
  }
}

/** Records the move in the audit log, if the account is still a copy there: a repeated switch adds no entry. */
function recordMove({ db, actor, ip, requestId }: Context, account: Account, moved: { from: string; to: string }) {
  const { id, name } = account;
  const target = { type: 'account', id, name };
  const changes = [{ field: 'database', old: moved.from, new: moved.to }];
  const isCopy = sql`exists (select 1 from ${accounts} where ${and(eq(accounts.id, id), isNotNull(accounts.livesIn))})`;
  return recordAction({ db, actor, ip, requestId, account }, { action: 'account.move', target, changes }, isCopy);
}

/**
 * Turns the copy into the account, and the old account into a copy. Each step can be repeated. Meanwhile all callers
 * can read, and only those with the new map can write. Does nothing if the switch is complete. `known` is the account's
 * row from an earlier query, which saves one.
 */
export async function switchOver(move: Move, target: string, known?: Account): Promise<void> {
  const { from, to, accountId } = move;
  const lineage = known ?? (await findRow(from, accountId));
  if (!lineage) throw notFound();
  const [seen, copy, [[account], [found], quotas]] = await Promise.all([
    placedAt(from, accountId),
    findRow(to, accountId),
    from.db.batch([queryRow(from, accountId), queryMove(move), quotasOf(from, lineage)]),
  ]);
  if (!account) throw notFound();
  // The row of a copy isn't the account's: another command or the cron has already switched.
  if (found?.step !== 'sealed' || account.livesIn !== null) return;
  if (copy?.livesIn !== null) {
    const statements = [
      ...unwatchCopy(move),
      recordMove(to, account, { from: from.database ?? DIRECTORY, to: target }),
      endCopy(to, account),
      ...copyQuotas(to, account, quotas),
    ];
    const isLive = async () => (await findRow(to, accountId))?.livesIn === null;
    await doOnce(() => inCopy(move, statements), isLive);
  }
  await placeAccount(from, accountId, target, seen);
  await doOnce(
    () => leave(move, target, account),
    async () => (await findMove(move))?.step === 'moved',
  );
  deliverEvents(to, accountId);
}

/** Turns the old account into a copy, and ends the move. */
async function leave({ from, accountId }: Move, target: string, account: Account): Promise<void> {
  const isTarget = eq(accountMoves.accountId, accountId);
  const isSealed = eq(accountMoves.step, 'sealed');
  const now = Date.now();
  // One transaction, so that nobody else can write while the triggers allow it.
  await inBatchIf(from, sql`exists (select 1 from ${accountMoves} where ${and(isTarget, isSealed)})`, [
    from.db.update(accountMoves).set({ isSealed: false, blockedUntilAt: 0 }).where(isTarget),
    ...releaseUse(from, account, isNoCopy(accountId)),
    silence(from, accountId),
    ...COPIED_LAST.toReversed()
      .filter(({ isWork }) => isWork)
      .map(({ name, of }) =>
        rawStatement(from.db, sql`delete from ${sql.identifier(name)} where ${boundTo(accountId, of)}`),
      ),
    beginCopy(from, accountId, target),
    from.db.delete(accountChanges).where(eq(accountChanges.accountId, accountId)),
    from.db
      .update(accountMoves)
      .set({ isSealed: true, step: 'moved', movedAt: now, readOnlyMs: sql`${now} - ${accountMoves.blockedAt}` })
      .where(isTarget),
  ]);
}

/**
 * Turns the account of this database into an old copy, if it lives in `place` as well: the restore of a database brings
 * back accounts that have moved away since. Returns whether it did. `tidyMoves` removes the copy a day later.
 */
export async function releaseStray(ctx: Context, accountId: string, place: string): Promise<boolean> {
  const { database = DIRECTORY } = ctx;
  const home = inDatabase(ctx, place);
  const ofAccount = eq(accountMoves.accountId, accountId);
  const [here, [own], there, [open]] = await Promise.all([
    findRow(ctx, accountId),
    ctx.db.select().from(accountMoves).where(ofAccount),
    findRow(home, accountId),
    home.db.select().from(accountMoves).where(ofAccount),
  ]);
  if (place === database || here?.livesIn !== null || there?.livesIn !== null) return false;
  // During a switch, too, both rows are those of an account.
  if (own?.step === 'sealed' || (open && open.step !== 'moved')) return false;
  const state = { target: place, step: 'sealed', claim: randomToken(), isSealed: true, hasTriggers: true } as const;
  const row: AccountMove = {
    ...{ accountId, ...state, tableIndex: 0, place: null, startedAt: Date.now(), blockedUntilAt: 0 },
    ...{ blockedAt: Date.now(), readOnlyMs: null, rows: null, movedAt: null },
  };
  await ctx.db.insert(accountMoves).values(row).onConflictDoUpdate({ target: accountMoves.accountId, set: row });
  await switchOver({ accountId, from: ctx, to: home }, place);
  logLine('info', { event: 'stray-account', account: accountId, database, livesIn: place });
  return true;
}
