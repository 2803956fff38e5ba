import { sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { hourlyCounts } from './table.ts';

const HOUR_MS = 60 * 60_000;

/** Something that has happened and is no event. */
export interface Happening {
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
