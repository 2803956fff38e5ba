import { lt } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { purge } from '../purge.ts';
import { deadLetters } from './table.ts';

/** Days for which a job that failed for good can be retried. */
export const DEAD_LETTER_RETENTION_DAYS = 30;

const DAY_MS = 24 * 3_600_000;

/** Cron task: forgets jobs that failed longer ago than the retention. As long as none has, it reads none. */
export async function purgeDeadLetters(ctx: Context, now = Date.now()): Promise<void> {
  await purge(ctx, deadLetters, lt(deadLetters.failedAt, now - DEAD_LETTER_RETENTION_DAYS * DAY_MS));
}
