import { and, between, eq, inArray, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { activePassCounts } from '../passes/table.ts';
import { templates } from '../templates/table.ts';
import { HOURLY_COUNTS_DAYS } from './fold-counts.ts';
import { dailyCounts, hourlyCounts } from './table.ts';
import { uncountedOf } from './uncounted.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Counts of a period, and the current numbers of passes. */
export interface Statistics {
  /** Hourly counts, of which an hour may have several. Old ones are daily, with the first hour of their day. */
  counts: HourlyCount[];
  /** Existing passes. */
  passes: number;
  /** Passes on a device. */
  activePasses: number;
}

/**
 * Returns the account's counts of some metrics between two times (UTC milliseconds), and its numbers of passes. One
 * round trip. Reads a row per hour (or day, once they are folded) and metric, per webhook, and up to two per template.
 */
export async function getStatistics(
  ctx: AccountContext,
  metrics: string[],
  from: number,
  to: number,
  now = Date.now(),
): Promise<Statistics> {
  const isFolded = from < now - HOURLY_COUNTS_DAYS * DAY_MS;
  const [hours, late, [total], [active], days = []] = await ctx.db.batch([
    countsQuery(ctx, metrics, from, to),
    uncountedQuery(ctx, metrics, from, to),
    passTotalQuery(ctx),
    activePassesQuery(ctx),
    ...(isFolded ? [dailyCountsQuery(ctx, metrics, from, to)] : []),
  ]);
  return { counts: [...days, ...hours, ...late], passes: total?.passes ?? 0, activePasses: active?.active ?? 0 };
}

/** Builds the statement for the number of the account's passes, which templates keep. */
export function passTotalQuery(ctx: AccountContext) {
  return ctx.db
    .select({ passes: sql<number>`coalesce(sum(${templates.passCount}), 0)` })
    .from(templates)
    .where(eq(templates.accountId, ctx.account.id));
}

/** Builds the statement for the number of the account's passes on devices, which is kept by template. */
export function activePassesQuery(ctx: AccountContext) {
  return ctx.db
    .select({ active: sql<number>`coalesce(sum(${activePassCounts.active}), 0)` })
    .from(activePassCounts)
    .where(eq(activePassCounts.accountId, ctx.account.id));
}

/** A count of one hour. */
export interface HourlyCount {
  metric: string;
  /** Start of the hour, in UTC milliseconds. */
  hourAt: number;
  count: number;
}

/**
 * Builds the statement for the account's counts of some metrics between two times (UTC milliseconds), by metric and
 * time. Hours without events have no row. Reads one row per hour and metric.
 */
export function countsQuery({ db, account }: AccountContext, metrics: string[], from: number, to: number) {
  const { accountId, metric, hourAt, count } = hourlyCounts;
  return db
    .select({ metric, hourAt, count })
    .from(hourlyCounts)
    .where(and(eq(accountId, account.id), inArray(metric, metrics), between(hourAt, from, to)))
    .orderBy(metric, hourAt);
}

/** Builds the statement for counts of webhooks that were not added yet; their hours may have other counts, too. */
export function uncountedQuery({ db, account }: AccountContext, metrics: string[], from: number, to: number) {
  return rawStatement<HourlyCount>(
    db,
    sql`select metric, hour_at as "hourAt", count from (${uncountedOf(sql`account_id = ${account.id}`)})
      where ${and(inArray(sql`metric`, metrics), between(sql`hour_at`, from, to))}`,
  );
}

/** Builds `countsQuery` for days whose hourly counts are folded; `hourAt` is the start of the day. */
function dailyCountsQuery({ db, account }: AccountContext, metrics: string[], from: number, to: number) {
  const { accountId, metric, dayAt, count } = dailyCounts;
  return db
    .select({ metric, hourAt: dayAt, count })
    .from(dailyCounts)
    .where(and(eq(accountId, account.id), inArray(metric, metrics), between(dayAt, from, to)))
    .orderBy(metric, dayAt);
}
