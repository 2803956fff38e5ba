import { and, asc, eq, getTableColumns, gte, inArray, lte, sql } from 'drizzle-orm';
import { actForAccount } from '../accounts/find-account.ts';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import { isOfNoCopy } from '../no-copies.ts';
import { isSuspended, SUSPENDED_WAIT_MS } from '../suspended.ts';
import { ENQUEUE_MS_MAX, messageJobs } from './request-messages.ts';
import { ATTEMPTS_MAX, settleMessage } from './settle-message.ts';
import { type Message, messages } from './table.ts';

/** Messages a statement picks up; the queue takes as many messages at once (Cloudflare, Queues limits). */
const PAGE_ROWS = 100;
/** Pages of one run, a minute before the next. */
const PAGES_MAX = 20;

/** What a message says whose last attempt ended without a result, say because it took the Worker with it. */
const NO_RESULT = 'The last attempt ended without a result';

/**
 * Cron task: enqueues messages whose job is lost, whose retry is due, or whose attempt never ended. Such an attempt may
 * have reached the provider, but a message twice is better than none, and a provider's callback settles it before the
 * lease ends. The last attempt is not repeated: its message has failed. Messages of suspended accounts are postponed.
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
    .where(sql`${lte(messages.dueAt, now)} and ${isOfNoCopy(messages.accountId)}`)
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
