import { eq, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { activePassCounts } from '../passes/table.ts';
import { templates } from '../templates/table.ts';
import { countsQuery, type HourlyCount } from './list-counts.ts';

/** What happened in a time, and what there is now. */
export interface Statistics {
  counts: HourlyCount[];
  /** Existing passes. */
  passes: number;
  /** Those that are on a device. */
  activePasses: number;
}

/**
 * The account's counts of some metrics between two moments (UTC milliseconds), and its numbers of passes. One round
 * trip; reads a row for each hour and metric, and up to two for each template.
 */
export async function getStatistics(
  ctx: AccountContext,
  metrics: string[],
  from: number,
  to: number,
): Promise<Statistics> {
  const [counts, [total], [active]] = await ctx.db.batch([
    countsQuery(ctx, metrics, from, to),
    passTotalQuery(ctx),
    activePassesQuery(ctx),
  ]);
  return { counts, passes: total?.passes ?? 0, activePasses: active?.active ?? 0 };
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
