import { lt, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { deadLetters } from './table.ts';

/** Days for which a job that failed for good can be retried. */
export const DEAD_LETTER_RETENTION_DAYS = 30;

const DAY_MS = 24 * 3_600_000;
const PAGE_ROWS = 1_000;
/** Pages of one run; the next minute goes on. */
const PAGES_MAX = 20;

/** Cron task: forgets jobs that failed longer ago than the retention. As long as none has, it reads none. */
export async function purgeDeadLetters(ctx: Context, now = Date.now()): Promise<void> {
  const isOld = lt(deadLetters.failedAt, now - DEAD_LETTER_RETENTION_DAYS * DAY_MS);
  const page = sql`rowid in (select rowid from ${deadLetters} where ${isOld} order by ${deadLetters.failedAt} limit ${PAGE_ROWS})`;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const { meta } = await ctx.db.delete(deadLetters).where(page);
    if (meta.changes < PAGE_ROWS) return;
  }
}
