import { sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { inPages, PAGE_ROWS } from '../purge.ts';
import { webhookDeliveries } from './table.ts';

/** How long a delivery can be looked up and resent. A schedule ends within four days. */
export const DELIVERY_RETENTION_DAYS = 30;

const DAY_MS = 24 * 3_600_000;

/**
 * Cron task: removes deliveries from thirty days ago, unless they were resent since and are still to be attempted. Rows
 * are stored in the order in which they were made, so it looks at the first ones only.
 */
export async function purgeDeliveries(ctx: Context, now = Date.now()): Promise<void> {
  const before = now - DELIVERY_RETENTION_DAYS * DAY_MS;
  // As long as the first one is young, no other is looked at.
  const isDue = sql`(select created_at from ${webhookDeliveries} order by rowid limit 1) < ${before}`;
  const first = sql`(select rowid, created_at, next_attempt_at from ${webhookDeliveries} order by rowid limit iif(${isDue}, ${PAGE_ROWS}, 0))`;
  const old = sql`rowid in (select rowid from ${first} where created_at < ${before} and coalesce(next_attempt_at, 0) < ${before})`;
  await inPages(async () => (await ctx.db.delete(webhookDeliveries).where(old)).meta.changes);
}
