import { sql } from 'drizzle-orm';
import type { Context } from '../../domain/context.ts';
import { ALL, purge } from '../../domain/purge.ts';
import { metricPoints } from './table.ts';

export type Point = Omit<typeof metricPoints.$inferSelect, 'key'>;

/** Number of points that a local service keeps. */
const POINTS_MAX = 20_000;
/** Points per statement. */
const PAGE_POINTS = 500;

/** Stores points in order. */
export async function insertPoints(ctx: Context, points: Point[]): Promise<void> {
  for (let at = 0; at < points.length; at += PAGE_POINTS) {
    const page = points.slice(at, at + PAGE_POINTS);
    await ctx.db.insert(metricPoints).select(
      sql`select null, value ->> '$.index', value -> '$.blobs', value -> '$.doubles', value ->> '$.createdAt'
        from json_each(${JSON.stringify(page)})`,
    );
  }
}

/** Deletes old points. */
export function purgePoints(ctx: Context): Promise<void> {
  const newest = sql`(select max(key) from ${metricPoints})`;
  return purge(ctx, metricPoints, sql`${metricPoints.key} <= ${newest} - ${POINTS_MAX}`, ALL);
}
