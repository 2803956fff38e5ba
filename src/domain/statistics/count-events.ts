import { and, eq, gt, lt, sql } from 'drizzle-orm';
import { firstUuidAt } from '../../platform/ids.ts';
import type { Context } from '../context.ts';
import { events } from '../events/table.ts';
import { countedEvents, hourlyCounts } from './table.ts';

/** Events of one statement; statements of one run, a minute before the next. */
const PAGE_EVENTS = 1_000;
const PAGES_MAX = 50;
/** Identifiers are made before their batch commits: events are counted once all others of their time are there. */
const SETTLING_MS = 2 * 60_000;
const HOUR_MS = 60 * 60_000;
const ROW = 1;

/**
 * Cron task: adds what has happened to the hourly counts. Each event is read and counted once: the place up to which
 * was counted moves in the same batch, under the condition that it is where it was read, so that of two runs at once
 * one counts. One row read an event, and one written for each hour, account and kind.
 */
export async function countEvents(ctx: Context, now = Date.now()): Promise<void> {
  for (let page = 0; page < PAGES_MAX; page++) {
    const from = await place(ctx);
    const settled = firstUuidAt(now - SETTLING_MS);
    const [last] = await ctx.db
      .select({ id: events.id })
      .from(events)
      .where(and(gt(events.id, from), lt(events.id, settled)))
      .orderBy(events.id)
      .limit(1)
      .offset(PAGE_EVENTS - 1);
    const [end] = last
      ? [last]
      : await ctx.db
          .select({ id: sql<string | null>`max(${events.id})` })
          .from(events)
          .where(and(gt(events.id, from), lt(events.id, settled)));
    if (!end?.id) return;
    await countUpTo(ctx, from, end.id);
    if (!last) return;
  }
}

async function place(ctx: Context): Promise<string> {
  const [row] = await ctx.db.select().from(countedEvents).where(eq(countedEvents.id, ROW));
  return row?.lastEventId ?? '';
}

async function countUpTo(ctx: Context, from: string, to: string): Promise<void> {
  const hour = sql`${events.createdAt} - ${events.createdAt} % ${HOUR_MS}`;
  const status = sql`(${events.body} ->> '$.scanStatus')`;
  const metric = sql`case when ${events.type} = 'app_scan_created'
    then 'app_scan_created.' || iif(${status} between 0 and 3, ${status}, 'other') else ${events.type} end`;
  const isUnmoved = sql`coalesce((select ${countedEvents.lastEventId} from ${countedEvents} where ${eq(countedEvents.id, ROW)}), '') = ${from}`;
  await ctx.db.batch([
    ctx.db
      .insert(hourlyCounts)
      .select(
        sql`select ${events.accountId}, ${metric}, ${hour}, count(*) from ${events}
          where ${events.id} > ${from} and ${events.id} <= ${to} and ${isUnmoved} group by 1, 2, 3`,
      )
      .onConflictDoUpdate({
        target: [hourlyCounts.accountId, hourlyCounts.metric, hourlyCounts.hourAt],
        set: { count: sql`${hourlyCounts.count} + excluded.count` },
      }),
    ctx.db
      .insert(countedEvents)
      .values({ id: ROW, lastEventId: to })
      .onConflictDoUpdate({
        target: countedEvents.id,
        set: { lastEventId: to },
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
