import { inArray, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { inPages, PAGE_ROWS } from '../purge.ts';
import { events } from './table.ts';

/**
 * Longer than anything that shows an event's body: stored payloads and deliveries are kept for thirty days from when
 * they are made.
 */
export const EVENT_RETENTION_DAYS = 32;

const DAY_MS = 24 * 3_600_000;

/**
 * Cron task: removes events from more than a month ago, the oldest first. Events that await their deliveries stay.
 */
export async function purgeEvents(ctx: Context, now = Date.now()): Promise<void> {
  const before = now - EVENT_RETENTION_DAYS * DAY_MS;
  // As long as the first one is young, no other is looked at.
  const isDue = sql`(select created_at from ${events} order by key limit 1) < ${before}`;
  const first = sql`(select key, created_at, pending from ${events} order by key limit iif(${isDue}, ${PAGE_ROWS}, 0))`;
  const old = inArray(events.key, sql`(select key from ${first} where created_at < ${before} and pending is null)`);
  await inPages(async () => (await ctx.db.delete(events).where(old)).meta.changes);
}
