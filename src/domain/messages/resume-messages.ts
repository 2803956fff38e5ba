import { and, asc, eq, getTableColumns, gt, gte, inArray, lte, type SQL, sql } from 'drizzle-orm';
import { actForAccount } from '../accounts/find-account.ts';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import { isNotCopy } from '../moved.ts';
import { pageOf } from '../purge.ts';
import { isSuspended, SUSPENDED_WAIT_MS } from '../suspended.ts';
import { ATTEMPTS_MAX, settleMessage } from './message-attempts.ts';
import { ENQUEUE_MS_MAX, messageJobs } from './request-messages.ts';
import { type Message, messages } from './table.ts';

/** Messages per statement; the queue takes as many at once (Cloudflare, Queues limits). */
const PAGE_ROWS = 100;
/** Maximum number of pages of one run; the next run follows a minute later. */
const PAGES_MAX = 20;

/** Details of a message whose last attempt ended without a result, for example because it crashed the Worker. */
const NO_RESULT = 'The last attempt ended without a result';

/**
 * Cron task: enqueues messages with a lost job, a due retry, or an unfinished attempt, which may send them twice.
 * Usually a provider's callback settles such an attempt before its lease ends. The last attempt isn't repeated, but
 * fails. Messages of suspended accounts are postponed.
 */
export async function resumeMessages(ctx: Context): Promise<void> {
  for (let page = 0; page < PAGES_MAX; page++) {
    const rows = await claimPage(ctx, Date.now());
    for (const { waits: _, ...message } of rows.filter(isExhausted)) {
      const acting = await actForAccount(ctx, message.accountId);
      await settleMessage(acting, message, { outcome: 'refused', reason: NO_RESULT }, message.subject);
    }
    if (rows.length < PAGE_ROWS) return;
  }
}

type Claimed = Message & { waits: number };

async function claimPage(ctx: Context, now: number): Promise<Claimed[]> {
  const waits = isSuspended(messages.accountId);
  const due = ctx.db
    .select({ id: messages.id })
    .from(messages)
    .where(sql`${lte(messages.dueAt, now)} and ${isNotCopy(messages.accountId)}`)
    .orderBy(asc(messages.dueAt))
    .limit(PAGE_ROWS);
  const isLast = and(eq(messages.status, 'sending'), gte(messages.attempts, ATTEMPTS_MAX));
  const claim = ctx.db
    .update(messages)
    .set({
      status: sql`iif(${isLast}, 'sending', 'queued')`,
      dueAt: sql`${now} + iif(${waits}, ${SUSPENDED_WAIT_MS}, ${ENQUEUE_MS_MAX})`,
    })
    .where(inArray(messages.id, due))
    .returning({ ...getTableColumns(messages), waits });
  const [rows] = await commit(ctx, [claim], ([claimed]) =>
    claimed.filter((row) => !row.waits && !isExhausted(row)).flatMap((row) => messageJobs(row.accountId, [row])),
  );
  return rows;
}

const isExhausted = ({ status }: Message) => status === 'sending';

/**
 * Builds the statement that makes a page of messages due which waited while the selected accounts were suspended. `now`
 * is the same for all pages.
 */
export function makeMessagesDue(ctx: Context, accountIds: SQL, now: number) {
  return ctx.db
    .update(messages)
    .set({ dueAt: now })
    .where(
      pageOf(
        messages,
        and(gt(messages.dueAt, now), eq(messages.status, 'queued'), inArray(messages.accountId, accountIds)),
      ),
    );
}
