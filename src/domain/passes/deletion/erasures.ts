import { asc, eq, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../../context.ts';
import { type PassErasure, passErasures, passes } from '../table.ts';

/** How long the job of a deletion has before the cron hands it out again. */
const LEASE_MS = 10 * 60_000;

/** How passes are erased. */
export interface ErasureOptions {
  /** Whether what receivers of webhooks have still to get is erased, too: a person has asked for it. */
  isForced?: boolean;
  /** Whether what named a pass is kept until the end, because a process works that may name it so. */
  keepsNames?: boolean;
}

/**
 * The statement that notes which of the selected passes are to be erased, for the batch that deletes or anonymizes
 * them. A pass that is noted already begins anew.
 */
export function requestErasures(
  ctx: Context,
  selected: SQL,
  { isForced = false, keepsNames = true }: ErasureOptions = {},
) {
  const now = Date.now();
  const names = keepsNames
    ? sql`json_array(${passes.userProvidedId}, ${passes.barcodeValue}, ${passes.generatedId})`
    : sql`json_array(${passes.generatedId})`;
  return ctx.db.insert(passErasures).select(
    sql`select ${passes.id}, ${passes.accountId}, ${names}, ${now}, 0, ${now + LEASE_MS}, ${isForced ? 1 : 0}
      from ${passes} where ${selected}
      on conflict (pass_id) do update set names = excluded.names, deleted_at = excluded.deleted_at, rounds = 0,
        due_at = excluded.due_at, is_forced = is_forced or excluded.is_forced`,
  );
}

/** The erasures of these passes that are not done. */
export function listErasures(ctx: Context, passIds: string[]): Promise<PassErasure[]> {
  return ctx.db.select().from(passErasures).where(inList(passIds));
}

/** Takes the erasures that are due, the oldest first; they are left alone until their lease ends. */
export async function takeErasures(ctx: Context, limit: number, now = Date.now()): Promise<PassErasure[]> {
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

/** What a round has found. */
export interface ErasureRound {
  /** Nothing is left of these, and nobody may add to them. */
  done: string[];
  /** When to look at the others again, by pass. */
  next: { passId: string; dueAt: number }[];
}

/** Notes the end of a round. */
export async function endRound(ctx: Context, { done, next }: ErasureRound): Promise<void> {
  const rows = JSON.stringify(next.map(({ passId, dueAt }) => [passId, dueAt]));
  await ctx.db.batch([
    ctx.db.delete(passErasures).where(inList(done)),
    ctx.db
      .update(passErasures)
      .set({ rounds: sql`${passErasures.rounds} + 1`, dueAt: sql`next.value ->> 1` })
      .from(sql`json_each(${rows}) as next`)
      .where(eq(passErasures.passId, sql`next.value ->> 0`)),
  ]);
}

function inList(passIds: string[]): SQL {
  return sql`${passErasures.passId} in (select value from json_each(${JSON.stringify(passIds)}))`;
}
