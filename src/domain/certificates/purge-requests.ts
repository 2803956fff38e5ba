import { lt } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { purge } from '../purge.ts';
import { certificateRequests } from './table.ts';

/** Days after which an unused request is deleted with its key. */
const REQUEST_DAYS = 90;

/** Cron task: deletes requests that weren't used for 90 days, with their keys. */
export async function purgeRequests(ctx: Context, now = Date.now()): Promise<void> {
  await purge(ctx, certificateRequests, lt(certificateRequests.createdAt, now - REQUEST_DAYS * 86_400_000));
}
