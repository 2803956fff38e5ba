import { asc, inArray, lte, sql } from 'drizzle-orm';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import { isSuspended, SUSPENDED_WAIT_MS } from '../suspended.ts';
import { ENQUEUE_MS_MAX, messageJobs } from './request-messages.ts';
import { messages } from './table.ts';

/** Messages a statement picks up; the queue takes as many messages at once (Cloudflare, Queues limits). */
const PAGE_ROWS = 100;
/** Pages of one run, a minute before the next. */
const PAGES_MAX = 20;

/**
 * Cron task: enqueues messages whose job is lost, whose retry is due, or whose attempt never ended. Such an attempt may
 * have reached the provider, but a message twice is better than none, and a provider's callback settles it before the
 * lease ends. Messages of suspended accounts are postponed.
 */
export async function resumeMessages(ctx: Context): Promise<void> {
  const waits = isSuspended(messages.accountId);
  for (let page = 0; page < PAGES_MAX; page++) {
    const now = Date.now();
    const due = ctx.db
      .select({ id: messages.id })
      .from(messages)
      .where(lte(messages.dueAt, now))
      .orderBy(asc(messages.dueAt))
      .limit(PAGE_ROWS);
    const claim = ctx.db
      .update(messages)
      .set({ status: 'queued', dueAt: sql`${now} + iif(${waits}, ${SUSPENDED_WAIT_MS}, ${ENQUEUE_MS_MAX})` })
      .where(inArray(messages.id, due))
      .returning({ id: messages.id, accountId: messages.accountId, waits });
    const [rows] = await commit(ctx, [claim], ([claimed]) =>
      claimed.filter((row) => !row.waits).flatMap((row) => messageJobs(row.accountId, [row])),
    );
    if (rows.length < PAGE_ROWS) return;
  }
}
