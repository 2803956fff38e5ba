import { eq, sql } from 'drizzle-orm';
import { firstUuidAt, timeOf } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Context } from '../context.ts';
import { hasEarlierEvents, moveEarlierEvents } from '../events/earlier-events.ts';
import { nextEvent, OWNERS } from '../events/owners.ts';
import { events } from '../events/table.ts';
import { countedEvents, hourlyCounts } from './table.ts';

/** Time whose events one statement counts; statements of one run, a minute before the next. */
const SLICE_MS = 20_000;
const SLICES_MAX = 50;
/** Identifiers are made before their batch commits: events are counted once all others of their time are there. */
const SETTLING_MS = 2 * 60_000;
const HOUR_MS = 60 * 60_000;
const ROW = 1;

/** SQL for what an event is counted as, and for the beginning of its hour. */
const STATUS = sql`(${events.body} ->> '$.scanStatus')`;
export const METRIC = sql`case when ${events.type} = 'app_scan_created'
  then 'app_scan_created.' || iif(${STATUS} between 0 and 3, ${STATUS}, 'other') else ${events.type} end`;
export const HOUR = sql`${events.createdAt} - ${events.createdAt} % ${HOUR_MS}`;

/**
 * Cron task: adds what has happened to the hourly counts. Each event is counted once: the place up to which was counted
 * moves in the same batch, under the condition that it is where it was read, so that of two runs at once one counts.
 * Two rows read an event, and one written for each hour, account and kind.
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

/** Up to which event the counts go, and whether none of a release before is behind it. */
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
    ctx.db
      .insert(hourlyCounts)
      .select(
        sql`with recursive ${OWNERS} select ${events.accountId}, ${METRIC}, ${HOUR}, count(*) from ${uncounted}
          where ${isUnmoved} group by 1, 2, 3`,
      )
      .onConflictDoUpdate({
        target: [hourlyCounts.accountId, hourlyCounts.metric, hourlyCounts.hourAt],
        set: { count: sql`${hourlyCounts.count} + excluded.count` },
      }),
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

interface Happening {
  accountId: string;
  metric: string;
  /** UTC milliseconds. */
  at: number;
}

/** Adds to the hourly counts, a statement for each account, metric and hour; for the batch of the change. */
export function countStatements(ctx: Pick<Context, 'db'>, happenings: Happening[]) {
  const groups = Map.groupBy(happenings, ({ accountId, metric, at }) => [accountId, metric, hourOf(at)].join(' '));
  return [...groups.values()].map((group) => {
    const { accountId, metric, at } = group[0]!;
    return ctx.db
      .insert(hourlyCounts)
      .values({ accountId, metric, hourAt: hourOf(at), count: group.length })
      .onConflictDoUpdate({
        target: [hourlyCounts.accountId, hourlyCounts.metric, hourlyCounts.hourAt],
        set: { count: sql`${hourlyCounts.count} + ${group.length}` },
      });
  });
}

function hourOf(millis: number): number {
  return millis - (millis % HOUR_MS);
}
