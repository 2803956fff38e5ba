import { inArray, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { removeTombstones, tombstonesBefore } from '../passes/deletion/tombstones.ts';
import { passTombstones } from '../passes/table.ts';
import { PAGE_ROWS, runInPages } from '../purge.ts';
import { registrations } from './table.ts';

/** Days for which a device can be offline and still learn that its pass was deleted. */
const DELETED_PASS_KNOWN_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;
/** Below the limit of D1: a statement binds a hundred parameters. */
const PASSES_MAX = 90;

/** Cron task: removes the remaining registrations of passes that were deleted long ago. Can run concurrently. */
export async function purgeRegistrations(ctx: Context, now = Date.now()): Promise<void> {
  await runInPages(() => purgePage(ctx, now), { enough: PAGE_ROWS });
}

/** Returns the number of removed registrations. */
async function purgePage(ctx: Context, now: number): Promise<number> {
  const found = await tombstonesBefore(ctx, now - DELETED_PASS_KNOWN_DAYS * DAY_MS, PASSES_MAX);
  if (found.length === 0) return 0;
  const passIds = found.map(({ passId }) => passId);
  const removed = sql`(select rowid from ${registrations} where ${inArray(registrations.passId, passIds)} limit ${PAGE_ROWS})`;
  const isDone = sql`not exists (select 1 from ${registrations} where ${registrations.passId} = ${passTombstones.passId})`;
  const [{ meta }] = await ctx.db.batch([
    ctx.db.delete(registrations).where(sql`rowid in ${removed}`),
    removeTombstones(ctx, passIds, isDone),
  ]);
  return meta.changes;
}
