import { eq, sql } from 'drizzle-orm';
import { dayOf } from '../../platform/dates.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { accounts } from '../accounts/table.ts';
import type { Context } from '../context.ts';
import { events } from '../events/table.ts';
import { livesHere } from '../moved.ts';
import { oldestRows, PAGE_ROWS, runInPages } from '../purge.ts';
import { HOUR, METRIC } from './count-events.ts';
import { countedEvents, dailyCounts, hourlyCounts } from './table.ts';

/** Days that hourly counts are kept: longer than the 92 days of a chart. */
export const HOURLY_COUNTS_DAYS = 100;
/** Days that daily counts are kept: three years and some weeks, so that years can be compared. */
export const DAILY_COUNTS_DAYS = 1_200;

const DAY_MS = 24 * 60 * 60_000;

/**
 * Cron task: folds old hourly counts into daily ones, in the account's time zone, and deletes old daily counts. Rows
 * are stored in the order of time, so it reads only the first ones. May run twice at once.
 */
export async function foldCounts(ctx: Context, now = Date.now()): Promise<void> {
  const before = now - HOURLY_COUNTS_DAYS * DAY_MS;
  await runInPages(() => foldPage(ctx, before), { enough: PAGE_ROWS });
  const isOld = sql`day_at < ${now - DAILY_COUNTS_DAYS * DAY_MS}`;
  const [columns, condition] = [sql`rowid, day_at`, livesHere(dailyCounts.accountId)];
  const first = oldestRows(dailyCounts, { columns, order: sql`rowid`, isOld, condition });
  const old = sql`rowid in (select rowid from ${first} where ${isOld})`;
  await runInPages(async () => (await ctx.db.delete(dailyCounts).where(old)).meta.changes, { enough: PAGE_ROWS });
}

/** Folds a page of hourly counts. Returns how many it folded. */
async function foldPage(ctx: Context, before: number): Promise<number> {
  const isOld = sql`hour_at < ${before}`;
  const [columns, condition] = [sql`account_id, metric, hour_at`, livesHere(hourlyCounts.accountId)];
  const first = oldestRows(hourlyCounts, { columns, order: sql`rowid`, isOld, condition });
  const rows = await rawStatement<{ account_id: string; metric: string; hour_at: number; timezone: string }>(
    ctx.db,
    sql`select first.*, coalesce(${accounts.timezone}, 'UTC') as timezone from ${first} as first
      left join ${accounts} on ${eq(accounts.id, sql`first.account_id`)} where ${isOld}`,
  );
  if (rows.length === 0) return 0;
  const startOfDay = dayStarts();
  const days = JSON.stringify(
    rows.map(({ account_id, metric, hour_at, timezone }) => [
      account_id,
      metric,
      hour_at,
      startOfDay(hour_at, timezone),
    ]),
  );
  // By their keys, not by the values that were read: of two simultaneous runs, the second finds them gone.
  const folded = sql`json_each(${days}) as fold cross join ${hourlyCounts} as hourly on hourly.account_id = fold.value ->> 0
    and hourly.metric = fold.value ->> 1 and hourly.hour_at = fold.value ->> 2`;
  const [, { meta }] = await ctx.db.batch([
    ctx.db
      .insert(dailyCounts)
      .select(
        sql`select hourly.account_id, hourly.metric, fold.value ->> 3, sum(hourly.count) from ${folded}
          where true group by 1, 2, 3`,
      )
      .onConflictDoUpdate({
        target: [dailyCounts.accountId, dailyCounts.metric, dailyCounts.dayAt],
        set: { count: sql`${dailyCounts.count} + excluded.count` },
      }),
    ctx.db.delete(hourlyCounts).where(sql`rowid in (select hourly.rowid from ${folded})`),
  ]);
  return meta.changes;
}

/** Returns a function for the start of a time's local day, in UTC milliseconds. It computes each day of a zone once. */
function dayStarts(): (millis: number, timezone: string) => number {
  const known = new Map<string, { start: number; end: number }>();
  return (millis, timezone) => {
    const last = known.get(timezone);
    if (last && last.start <= millis && millis < last.end) return last.start;
    const day = dayOf(millis, timezone);
    known.set(timezone, day);
    return day.start;
  };
}

/** Builds the query for the identifier of the last event that a database has counted. */
export function countedUpTo({ db }: Context) {
  return db.select({ last: countedEvents.lastEventId }).from(countedEvents);
}

/**
 * Builds the statement that follows the copied counts of an account, which another database counted up to `last`. This
 * one continues from its own place, so that each event is counted once.
 */
export function alignCounts({ db }: Context, accountId: string, last: string) {
  const own = sql`coalesce((select ${countedEvents.lastEventId} from ${countedEvents}), '')`;
  return rawStatement(
    db,
    sql`insert into ${hourlyCounts} (account_id, metric, hour_at, count)
      select ${events.accountId}, ${METRIC}, ${HOUR}, sum(iif(${events.id} > ${last}, 1, -1)) from ${events}
      where ${events.accountId} = ${accountId} and ${events.id} > min(${last}, ${own}) and ${events.id} <= max(${last}, ${own})
      group by 1, 2, 3
      on conflict (account_id, metric, hour_at) do update set count = count + excluded.count`,
  );
}
