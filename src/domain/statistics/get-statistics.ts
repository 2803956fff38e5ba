import { and, between, eq, inArray, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { activePassCounts } from '../passes/table.ts';
import { templates } from '../templates/table.ts';
import { uncountedOf } from './count-events.ts';
import { HOURLY_COUNTS_DAYS } from './fold-counts.ts';
import { dailyCounts, hourlyCounts } from './table.ts';

const DAY_MS = 24 * 60 * 60_000;

/** What happened in a time, and what there is now. */
export interface Statistics {
  /** Hours, one or more times, and of what is long ago days, which count as their first hour. */
  counts: HourlyCount[];
  /** Existing passes. */
  passes: number;
  /** Those that are on a device. */
  activePasses: number;
}

/**
 * The account's counts of some metrics between two moments (UTC milliseconds), and its numbers of passes. One round
 * trip; reads a row for each hour (or day, once they are folded) and metric, for each webhook, and up to two for each
 * template.
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

/** The statement for the number of the account's passes, which templates keep. */
export function passTotalQuery(ctx: AccountContext) {
  return ctx.db
    .select({ passes: sql<number>`coalesce(sum(${templates.passCount}), 0)` })
    .from(templates)
    .where(eq(templates.accountId, ctx.account.id));
}

/** The statement for the number of the account's passes on devices, which is kept by template. */
export function activePassesQuery(ctx: AccountContext) {
  return ctx.db
    .select({ active: sql<number>`coalesce(sum(${activePassCounts.active}), 0)` })
    .from(activePassCounts)
    .where(eq(activePassCounts.accountId, ctx.account.id));
}

/** How often something happened in one hour. */
export interface HourlyCount {
  metric: string;
  /** Begin of the hour, in UTC milliseconds. */
  hourAt: number;
  count: number;
}

/**
 * The account's counts of some metrics between two moments (UTC milliseconds), by metric and time. Hours in which
 * nothing happened have no row. One row read for each hour and metric.
 */
export function countsQuery({ db, account }: AccountContext, metrics: string[], from: number, to: number) {
  const { accountId, metric, hourAt, count } = hourlyCounts;
  return db
    .select({ metric, hourAt, count })
    .from(hourlyCounts)
    .where(and(eq(accountId, account.id), inArray(metric, metrics), between(hourAt, from, to)))
    .orderBy(metric, hourAt);
}

/** What webhooks have counted in that time, and nobody has added yet: for hours that may have other counts, too. */
export function uncountedQuery({ db, account }: AccountContext, metrics: string[], from: number, to: number) {
  return rawStatement<HourlyCount>(
    db,
    sql`select metric, hour_at as "hourAt", count from (${uncountedOf(sql`account_id = ${account.id}`)})
      where ${and(inArray(sql`metric`, metrics), between(sql`hour_at`, from, to))}`,
  );
}

/** The same as `countsQuery` of days whose hourly counts are folded; `hourAt` is the begin of the day. */
function dailyCountsQuery({ db, account }: AccountContext, metrics: string[], from: number, to: number) {
  const { accountId, metric, dayAt, count } = dailyCounts;
  return db
    .select({ metric, hourAt: dayAt, count })
    .from(dailyCounts)
    .where(and(eq(accountId, account.id), inArray(metric, metrics), between(dayAt, from, to)))
    .orderBy(metric, dayAt);
}
