import { eq, type SQL, sql } from 'drizzle-orm';
import { firstUuidAt, timeOf } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Context } from '../context.ts';
import { storedMember } from '../events/compact-body.ts';
import { hasEarlierEvents, moveEarlierEvents } from '../events/earlier-events.ts';
import { nextEvent, OWNERS } from '../events/owners.ts';
import { events } from '../events/table.ts';
import { isNotCopy } from '../moved.ts';
import { countedEvents, hourlyCounts } from './table.ts';

/** Time span that one statement counts, and statements per run; the next run follows a minute later. */
const SLICE_MS = 20_000;
const SLICES_MAX = 50;
/** Identifiers are made before their batch commits, so events are counted once all others of their time are stored. */
const SETTLING_MS = 2 * 60_000;
export const HOUR_MS = 60 * 60_000;
const ROW = 1;

/** SQL for the metric that an event counts as, and for the start of its hour. */
const STATUS = storedMember('app_scan_created', 'scanStatus', sql`${events.body}`);
export const METRIC = sql`case when ${events.type} = 'app_scan_created'
  then 'app_scan_created.' || iif(${STATUS} between 0 and 3, ${STATUS}, 'other') else ${events.type} end`;
export const HOUR = sql`${events.createdAt} - ${events.createdAt} % ${HOUR_MS}`;

/**
 * Cron task: adds events to the hourly counts. Each counts once: the place moves in the same batch, only if it is where
 * it was read, so that of two simultaneous runs one counts. Reads two rows per event, and writes one per hour, account
 * and metric.
 */
export async function countEvents(ctx: Context, now = Date.now()): Promise<void> {
  const settledAt = now - SETTLING_MS;
  for (let slice = 0; slice < SLICES_MAX; slice++) {
    const { from, isMoved } = await place(ctx);
    if (!isMoved) await moveEarlierEvents(ctx, from);
    const [next] = await rawStatement<{ id: string | null }>(
      ctx.db,
      sql`with recursive ${OWNERS} select min(${nextEvent(from)}) as id from owners`,
    );
    if (!next?.id || timeOf(next.id) >= settledAt) return;
    await countUpTo(ctx, from, firstUuidAt(Math.min(settledAt, timeOf(next.id) + SLICE_MS)));
  }
}

/** Returns the last counted event, and whether no event of an earlier release comes after it. */
async function place(ctx: Context): Promise<{ from: string; isMoved: boolean }> {
  const isMoved = sql<number>`not ${hasEarlierEvents(sql`${countedEvents.lastEventId}`)}`;
  const [row] = await ctx.db
    .select({ from: countedEvents.lastEventId, isMoved: isMoved.mapWith(Boolean).as('moved') })
    .from(countedEvents)
    .where(eq(countedEvents.id, ROW));
  return row ?? { from: '', isMoved: false };
}

async function countUpTo(ctx: Context, from: string, to: string): Promise<void> {
  const isUnmoved = sql`coalesce((select ${countedEvents.lastEventId} from ${countedEvents} where ${eq(countedEvents.id, ROW)}), '') = ${from}`;
  const uncounted = sql`owners cross join ${events} on ${events.accountId} = owner
    and ${events.id} > ${from} and ${events.id} <= ${to}`;
  const number = sql`(with recursive ${OWNERS} select count(*) from ${uncounted})`;
  await ctx.db.batch([
    addCounts(
      ctx,
      sql`with recursive ${OWNERS} select ${events.accountId}, ${METRIC}, ${HOUR}, count(*) from ${uncounted}
        where ${isUnmoved} and ${isNotCopy(events.accountId)} group by 1, 2, 3`,
    ),
    ctx.db
      .insert(countedEvents)
      .values({ id: ROW, lastEventId: to, total: number })
      .onConflictDoUpdate({
        target: countedEvents.id,
        set: { lastEventId: to, total: sql`${countedEvents.total} + excluded.total` },
        setWhere: eq(countedEvents.lastEventId, from),
      }),
  ]);
}

/**
 * Builds the statement that adds to the hourly counts. `rows` is an SQL query with a condition, for account, metric,
 * start of the hour, and number.
 */
export function addCounts(ctx: Pick<Context, 'db'>, rows: SQL) {
  return ctx.db
    .insert(hourlyCounts)
    .select(rows)
    .onConflictDoUpdate({
      target: [hourlyCounts.accountId, hourlyCounts.metric, hourlyCounts.hourAt],
      set: { count: sql`${hourlyCounts.count} + excluded.count` },
    });
}

/** Returns the start of the hour of a time, both UTC milliseconds. */
export function hourOf(millis: number): number {
  return millis - (millis % HOUR_MS);
}
