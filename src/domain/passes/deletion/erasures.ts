import { asc, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../../context.ts';
import { type PassErasure, passErasures, passes } from '../table.ts';

/** Lease of the job of a deletion, in milliseconds. After it, the cron sends another job. */
const LEASE_MS = 10 * 60_000;

/** Options of an erasure. */
export interface ErasureOptions {
  /** Whether undelivered webhook events are erased too, because a person requested the deletion. */
  isForced?: boolean;
  /** Whether the pass's names are kept until the end, because a running process may use them. */
  shouldKeepNames?: boolean;
}

/**
 * Builds the statement that requests the erasure of the selected passes, for the batch that deletes or anonymizes them.
 * An existing request starts again.
 */
export function requestErasures(
  ctx: Context,
  selected: SQL,
  { isForced = false, shouldKeepNames = true }: ErasureOptions = {},
) {
  const now = Date.now();
  const names = shouldKeepNames
    ? sql`json_array(${passes.userProvidedId}, ${passes.barcodeValue}, ${passes.generatedId})`
    : sql`json_array(${passes.generatedId})`;
  return ctx.db.insert(passErasures).select(
    sql`select ${passes.id}, ${passes.accountId}, ${names}, ${now}, 0, ${now + LEASE_MS}, ${isForced ? 1 : 0}
      from ${passes} where ${selected}
      on conflict (pass_id) do update set names = excluded.names, deleted_at = excluded.deleted_at, rounds = 0,
        due_at = excluded.due_at, is_forced = is_forced or excluded.is_forced`,
  );
}

/** Returns the unfinished erasures of these passes. */
export function listErasures(ctx: Context, passIds: string[]): Promise<PassErasure[]> {
  return ctx.db.select().from(passErasures).where(inList(passIds));
}

/** Claims due erasures, oldest first, for the duration of a lease. */
export async function claimErasures(ctx: Context, limit: number, now = Date.now()): Promise<PassErasure[]> {
  const due = ctx.db
    .select({ passId: passErasures.passId })
    .from(passErasures)
    .where(lte(passErasures.dueAt, now))
    .orderBy(asc(passErasures.dueAt))
    .limit(limit);
  return ctx.db
    .update(passErasures)
    .set({ dueAt: now + LEASE_MS })
    .where(inArray(passErasures.passId, due))
    .returning();
}

/** Result of a round, for the erasures as they were when it began. */
export interface ErasureRound {
  /** Those of passes without remaining data, to which nothing can be added. */
  done: PassErasure[];
  /** The others, with the time of their next round. */
  next: PassErasure[];
}

/** Stores the result of a round, except for erasures that were requested again or whose round another run has ended. */
export async function endRound(ctx: Context, { done, next }: ErasureRound): Promise<void> {
  const rowsOf = (erasures: PassErasure[]) =>
    JSON.stringify(erasures.map((one) => [one.passId, one.accountId, one.deletedAt, one.rounds, one.dueAt]));
  const { passId, accountId, deletedAt, rounds } = passErasures;
  const held = sql`(${passId}, ${accountId}, ${deletedAt}, ${rounds})`;
  const ended = sql.raw([0, 1, 2, 3].map((at) => `ended.value ->> ${at}`).join(', '));
  await ctx.db.batch([
    ctx.db.delete(passErasures).where(sql`${held} in (select ${ended} from json_each(${rowsOf(done)}) as ended)`),
    ctx.db
      .update(passErasures)
      .set({ rounds: sql`${rounds} + 1`, dueAt: sql`ended.value ->> 4` })
      .from(sql`json_each(${rowsOf(next)}) as ended`)
      .where(sql`${held} = (${ended})`),
  ]);
}

function inList(passIds: string[]): SQL {
  return sql`${passErasures.passId} in (select value from json_each(${JSON.stringify(passIds)}))`;
}
