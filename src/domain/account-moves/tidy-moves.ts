import { and, eq, gte, isNull, or, sql } from 'drizzle-orm';
import { slicesOf } from '../../platform/chunks.ts';
import { isUuid } from '../../platform/ids.ts';
import { findRow } from '../accounts/copies.ts';
import { accounts } from '../accounts/table.ts';
import { type Context, inDatabase } from '../context.ts';
import { findPlace } from '../databases/place-account.ts';
import { processes } from '../processes/table.ts';
import { DIRECTORY, knownMap, placeOfAccount } from '../shard-map.ts';
import type { Move } from './copy-rows.ts';
import { releaseStray, switchOver } from './switch-account.ts';
import { type AccountMove, accountMoves } from './table.ts';
import { endTriggers, forget, undo } from './undo-move.ts';

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
