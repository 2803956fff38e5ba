import { lt } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { purge } from '../purge.ts';
import { deadLetters } from './table.ts';

/** Days that a failed job can be retried. */
export const DEAD_LETTER_RETENTION_DAYS = 30;

const DAY_MS = 24 * 3_600_000;

/** Cron task: deletes jobs that failed longer ago than the retention. If none did, it reads no rows. */
export async function purgeDeadLetters(ctx: Context, now = Date.now()): Promise<void> {
  await purge(ctx, deadLetters, lt(deadLetters.failedAt, now - DEAD_LETTER_RETENTION_DAYS * DAY_MS));
}
