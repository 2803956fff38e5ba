import { and, asc, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { passes, passTombstones } from './table.ts';

/** The statement that notes which of the selected passes devices had, for the batch that deletes them. */
export function leaveTombstones(ctx: Context, selected: SQL) {
  return ctx.db.insert(passTombstones).select(
    sql`select ${passes.id}, ${Date.now()} from ${passes}
      where ${selected} and ${passes.numberOfActive} + ${passes.numberOfInactive} > 0`,
  );
}

/** The oldest passes, at most `limit`, that were deleted before a time (UTC milliseconds) and whose registrations still stand. */
export function tombstonesBefore(ctx: Context, millis: number, limit: number) {
  return ctx.db
    .select({ passId: passTombstones.passId })
    .from(passTombstones)
    .where(lt(passTombstones.deletedAt, millis))
    .orderBy(asc(passTombstones.deletedAt))
    .limit(limit);
}

/** The statement that removes the tombstones of passes for which `condition` holds, once their registrations are gone. */
export function removeTombstones(ctx: Context, passIds: string[], condition: SQL) {
  return ctx.db.delete(passTombstones).where(and(inArray(passTombstones.passId, passIds), condition));
}
