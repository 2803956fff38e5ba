import { and, eq, gte, isNull, or } from 'drizzle-orm';
import { findRow } from '../accounts/copies.ts';
import { type Context, inDatabase } from '../context.ts';
import { processes } from '../processes/table.ts';
import { placeOfAccount } from '../shard-map.ts';
import type { Move } from './copy-rows.ts';
import { switchOver } from './switch-account.ts';
import { type AccountMove, accountMoves } from './table.ts';
import { endTriggers, forget, undo } from './undo-move.ts';

/** By then, work that began before the switch has ended, and each isolate knows the new map. */
const STRAGGLERS_MS = 15 * 60_000;
const KEPT_MS = 24 * 60 * 60_000;
/** A live command finishes the switch within seconds. */
const ABANDONED_MS = 60_000;
/** Time limit of one run. */
const RUN_MS = 20_000;

/**
 * Cron task: finishes switches whose command died, and drops the triggers 15 minutes after a switch. Deletes the old
 * copy in pages: a day after the switch, or with the triggers if a person was erased since. Throws the first failure.
 */
export async function tidyMoves(ctx: Context, now = Date.now()): Promise<void> {
  const moves = await ctx.db.select().from(accountMoves);
  const until = Date.now() + RUN_MS;
  const failures: unknown[] = [];
  // A move that fails must not delay the others.
  for (const one of moves)
    await tidyMove(ctx, one, { now, until }).catch((error: unknown) => void failures.push(error));
  if (failures.length > 0) throw failures[0];
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
