import { and, between, eq, inArray, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { activePassCounts } from '../passes/table.ts';
import { templates } from '../templates/table.ts';
import { HOURLY_COUNTS_DAYS } from './fold-counts.ts';
import { dailyCounts, hourlyCounts } from './table.ts';

const DAY_MS = 24 * 60 * 60_000;

/** What happened in a time, and what there is now. */
export interface Statistics {
  /** Hours, and of what is long ago days, which count as their first hour. */
  counts: HourlyCount[];
  /** Existing passes. */
  passes: number;
  /** Those that are on a device. */
  activePasses: number;
}

/**
 * The account's counts of some metrics between two moments (UTC milliseconds), and its numbers of passes. One round
 * trip; reads a row for each hour (or day, once they are folded) and metric, and up to two for each template.
 */
export async function getStatistics(
  ctx: AccountContext,
  metrics: string[],
  from: number,
  to: number,
  now = Date.now(),
): Promise<Statistics> {
  const isFolded = from < now - HOURLY_COUNTS_DAYS * DAY_MS;
  const [hours, [total], [active], days = []] = await ctx.db.batch([
    countsQuery(ctx, metrics, from, to),
    passTotalQuery(ctx),
    activePassesQuery(ctx),
    ...(isFolded ? [dailyCountsQuery(ctx, metrics, from, to)] : []),
  ]);
  return { counts: [...days, ...hours], passes: total?.passes ?? 0, activePasses: active?.active ?? 0 };
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
export function countsQuery(ctx: AccountContext, metrics: string[], from: number, to: number) {
  return queryOf(ctx, metrics, { table: hourlyCounts, at: hourlyCounts.hourAt, from, to });
}

/** The same of days whose hourly counts are folded; `hourAt` is the begin of the day. */
function dailyCountsQuery(ctx: AccountContext, metrics: string[], from: number, to: number) {
  return queryOf(ctx, metrics, { table: dailyCounts, at: dailyCounts.dayAt, from, to });
}

interface Span {
  table: typeof hourlyCounts | typeof dailyCounts;
  /** Its column with the begin of an hour or day. */
  at: typeof hourlyCounts.hourAt | typeof dailyCounts.dayAt;
  from: number;
  to: number;
}

function queryOf({ db, account }: AccountContext, metrics: string[], { table, at, from, to }: Span) {
  return db
    .select({ metric: table.metric, hourAt: at, count: table.count })
    .from(table)
    .where(and(eq(table.accountId, account.id), inArray(table.metric, metrics), between(at, from, to)))
    .orderBy(table.metric, at);
}
