import { inArray, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { PAGE_ROWS, runInPages } from '../purge.ts';
import { ROW_SPAN_MS } from './append-facts.ts';
import { passFacts } from './table.ts';

/** Days that facts are shown. A row is deleted once all of its facts are older, up to thirty days later. */
export const FACT_RETENTION_DAYS = 90;
export const FACT_RETENTION_MS = FACT_RETENTION_DAYS * 24 * 3_600_000;

/**
 * Cron task: deletes rows whose facts are too old, the oldest first. Rows begin in the order of their keys, and none
 * covers more than its span.
 */
export async function purgeFacts(ctx: Context, now = Date.now()): Promise<void> {
  const before = now - FACT_RETENTION_MS - ROW_SPAN_MS;
  // While the first row is young, no other is read.
  const isDue = sql`(select began_at from ${passFacts} order by key limit 1) < ${before}`;
  const first = sql`(select key, began_at from ${passFacts} order by key limit iif(${isDue}, ${PAGE_ROWS}, 0))`;
  const old = inArray(passFacts.key, sql`(select key from ${first} where began_at < ${before})`);
  await runInPages(async () => (await ctx.db.delete(passFacts).where(old)).meta.changes);
}
