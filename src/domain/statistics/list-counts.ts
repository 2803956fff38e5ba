import { and, between, eq, inArray } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { hourlyCounts } from './table.ts';

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
export function listCounts(ctx: AccountContext, metrics: string[], from: number, to: number): Promise<HourlyCount[]> {
  return countsQuery(ctx, metrics, from, to);
}

/** The statement behind `listCounts`, for a batch with other reads. */
export function countsQuery(ctx: AccountContext, metrics: string[], from: number, to: number) {
  return ctx.db
    .select({ metric: hourlyCounts.metric, hourAt: hourlyCounts.hourAt, count: hourlyCounts.count })
    .from(hourlyCounts)
    .where(
      and(
        eq(hourlyCounts.accountId, ctx.account.id),
        inArray(hourlyCounts.metric, metrics),
        between(hourlyCounts.hourAt, from, to),
      ),
    )
    .orderBy(hourlyCounts.metric, hourlyCounts.hourAt);
}
