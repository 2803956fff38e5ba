import { and, gt, inArray, isNotNull, isNull, lt, lte, type SQL, sql } from 'drizzle-orm';
import { logLine } from '../../platform/log.ts';
import { isRowOf, rowKey } from '../../platform/raw-statement.ts';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import type { Job } from '../jobs.ts';
import { appendFacts } from '../pass-facts/append-facts.ts';
import { encodeFact } from '../pass-facts/facts.ts';
import { PAGE_ROWS, pageOf, runInPages } from '../purge.ts';
import { isSuspended, SUSPENDED_WAIT_MS } from '../suspended.ts';
import { fanOutJobs } from './begin-fan-out.ts';
import { ACCOUNT_OF_PAGE, endFanOut } from './claim-page.ts';
import { isFree } from './claim-pushes.ts';
import { HAND_OVER_LEASE_MS, PUSH_LIFETIME_MS, pushJobs } from './push-jobs.ts';
import { earlierPendingPushes, pendingPushes, pushFanOuts, pushPages } from './table.ts';

/** Rows of each kind that one statement enqueues again or drops. */
const PUSHES_MAX = PAGE_ROWS;
const PAGES_MAX = 500;
const FAN_OUTS_MAX = 100;
/** Pages of one run; the next begins a minute later. */
const RUN_LIMITS = { enough: PUSHES_MAX, pagesMax: 2 };

/**
 * Cron task: enqueues due pushes again because their job was lost, its Worker died, or the push service asked to wait.
 * One conditional statement claims each row, so two crons never take the same one. Drops pushes after a day of
 * failures. Pushes of suspended accounts wait, and their day starts again.
 */
export async function resumePushes(ctx: Context, now = Date.now()): Promise<void> {
  await runInPages(() => dropExpired(ctx, now - PUSH_LIFETIME_MS, now), RUN_LIMITS);
  await runInPages(() => enqueueDue(ctx, now), RUN_LIMITS);
}

/** Returns the number of pushes it claimed. */
async function enqueueDue(ctx: Context, now: number): Promise<number> {
  const dueFanOuts = ctx.db
    .select({ id: pushFanOuts.id })
    .from(pushFanOuts)
    .where(and(isNotNull(pushFanOuts.dueAt), lte(pushFanOuts.dueAt, now)))
    .limit(FAN_OUTS_MAX);
  const claims = [
    ctx.db
      .update(pendingPushes)
      .set({
        ...leaseOf(isWaiting.push, now),
        requestedAt: sql`iif(${isWaiting.push}, ${now}, ${pendingPushes.requestedAt})`,
      })
      .where(isDue(pendingPushes, now, PUSHES_MAX, isFree(now)))
      .returning({
        passId: pendingPushes.passId,
        accountId: pendingPushes.accountId,
        wallet: pendingPushes.wallet,
        waits: isWaiting.push,
      }),
    ctx.db
      .update(pushPages)
      .set({
        ...leaseOf(isWaiting.page, now),
        requestedAt: sql`iif(${isWaiting.page}, ${now}, ${pushPages.requestedAt})`,
      })
      .where(isDue(pushPages, now, PAGES_MAX))
      .returning({
        fanOutId: pushPages.fanOutId,
        accountId: sql<string>`${ACCOUNT_OF_PAGE}`.as('account_id'),
        page: pushPages.number,
        waits: isWaiting.page,
      }),
    ctx.db
      .update(pushFanOuts)
      .set(leaseOf(isWaiting.fanOut, now))
      .where(inArray(pushFanOuts.id, dueFanOuts))
      .returning({ id: pushFanOuts.id, accountId: pushFanOuts.accountId, waits: isWaiting.fanOut }),
  ] as const;
  const [taken] = await commit(ctx, claims, ([pushes, pages, fanOuts]) => [
    ...pushJobs(pushes.filter(isReady)),
    ...fanOutJobs(fanOuts.filter(isReady)),
    ...pages
      .filter(isReady)
      .map(({ accountId, fanOutId, page }): Job => ({ type: 'push-page', accountId, fanOutId, page })),
  ]);
  return taken.length;
}

/** SQL conditions for rows of suspended accounts. */
const isWaiting = {
  push: isSuspended(pendingPushes.accountId),
  page: isSuspended(ACCOUNT_OF_PAGE),
  fanOut: isSuspended(pushFanOuts.accountId),
};

const isReady = ({ waits }: { waits: number }) => !waits;

function leaseOf(waits: SQL, now: number) {
  return { claim: null, dueAt: sql`${now} + iif(${waits}, ${SUSPENDED_WAIT_MS}, ${HAND_OVER_LEASE_MS})` };
}

/** Builds the query of at most `limit` rows that match `condition`, those due longest first. */
function isDue(table: typeof pendingPushes | typeof pushPages, now: number, limit: number, condition?: SQL) {
  const isOld = and(lte(table.dueAt, now), condition);
  return isRowOf(
    table,
    sql`(select ${rowKey(table)} from ${table} where ${isOld} order by ${table.dueAt} limit ${limit})`,
  );
}

/** Returns the number of pushes it dropped. */
async function dropExpired(ctx: Context, requestedBefore: number, now: number): Promise<number> {
  const selected = isDue(pendingPushes, now, PUSHES_MAX, lt(pendingPushes.requestedAt, requestedBefore));
  const [due, pages] = await ctx.db.batch([
    ctx.db.select({ passId: pendingPushes.passId }).from(pendingPushes).where(selected),
    ctx.db
      .delete(pushPages)
      .where(isDue(pushPages, now, PAGES_MAX, lt(pushPages.requestedAt, requestedBefore)))
      .returning({ page: pushPages.number }),
    endFanOut(ctx, lt(pushFanOuts.createdAt, requestedBefore)),
  ]);
  const pushes = due.length > 0 ? await dropPushes(ctx, selected, now) : 0;
  if (pushes + pages.length === 0) return 0;
  const given = { passes: pushes, pages: pages.length };
  logLine('error', { event: 'pushes-given-up', requestId: ctx.requestId, ...given });
  return pushes;
}

/** Deletes the selected pushes, and adds their facts and their failure to the timelines of their passes. */
async function dropPushes(ctx: Context, selected: SQL, at: number): Promise<number> {
  const givenUp = (wallet: 'apple' | 'google') => encodeFact({ type: 'push_given_up', at, wallet });
  const facts = sql`select pass_id, account_id, coalesce(facts || ',', '')
      || iif(wallet in ('google', 'publication'), ${givenUp('google')}, ${givenUp('apple')}) as facts
    from ${pendingPushes} where ${selected}`;
  const [, { meta }] = await ctx.db.batch([
    appendFacts(ctx, sql.raw('new.account_id'), facts, at),
    ctx.db.delete(pendingPushes).where(selected),
  ]);
  return meta.changes;
}

/**
 * Builds the statements that make pending pushes of resumed accounts due, one page of each kind. Pushes in progress are
 * left to their job. `now` is the same for all pages.
 */
export function makePushesDue(ctx: Context, accountIds: SQL, now: number) {
  const fanOutIds = ctx.db
    .select({ id: pushFanOuts.id })
    .from(pushFanOuts)
    .where(inArray(pushFanOuts.accountId, accountIds));
  const makeDue = (table: typeof pendingPushes | typeof pushPages | typeof pushFanOuts, isTheirs: SQL) =>
    ctx.db
      .update(table)
      .set({ dueAt: now })
      .where(pageOf(table, and(gt(table.dueAt, now), isNull(table.claim), isTheirs)));
  return [
    makeDue(pendingPushes, inArray(pendingPushes.accountId, accountIds)),
    makeDue(pushPages, inArray(pushPages.fanOutId, fanOutIds)),
    makeDue(pushFanOuts, inArray(pushFanOuts.accountId, accountIds)),
  ] as const;
}

/**
 * Cron task: moves unsent pushes of releases before 0.2.0 to where `resumePushes` finds them. If the same push was
 * requested again since, the texts and facts of both are kept.
 */
export async function movePushes(ctx: Context, now = Date.now()): Promise<void> {
  const isDue = lte(earlierPendingPushes.dueAt, now);
  const page = sql`rowid in (select rowid from ${earlierPendingPushes} where ${isDue} limit ${PAGE_ROWS})`;
  const move = ctx.db.insert(pendingPushes).select(ctx.db.select().from(earlierPendingPushes).where(page));
  const unite = move.onConflictDoUpdate({
    target: [pendingPushes.passId, pendingPushes.wallet],
    set: {
      text: sql`coalesce(${pendingPushes.text}, excluded.text)`,
      claim: null,
      facts: sql`coalesce(excluded.facts || ',' || ${pendingPushes.facts}, ${pendingPushes.facts}, excluded.facts)`,
    },
  });
  await runInPages(
    async () => (await ctx.db.batch([unite, ctx.db.delete(earlierPendingPushes).where(page)]))[1].meta.changes,
    { enough: PAGE_ROWS },
  );
}
