import { and, eq, not, type SQL, sql } from 'drizzle-orm';
import { randomToken } from '../../platform/ids.ts';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import { recordAtHome } from '../databases/follow-moves.ts';
import { DELAY_S_MAX, later } from '../enqueue.ts';
import type { Job } from '../jobs.ts';
import { factStatements, type PassFact } from '../pass-facts/append-facts.ts';
import { isSuspended } from '../suspended.ts';
import { HAND_OVER_LEASE_MS, WORK_LEASE_MS } from './push-jobs.ts';
import { type PushKind, pendingPushes } from './table.ts';

/** Pending pushes of one kind, claimed by one job. */
export interface PushClaim {
  accountId: string;
  wallet: PushKind;
  passIds: string[];
  /** Claims of these pushes: a result of `newClaim`, or those by events (`event-claim.ts`). */
  claims: string[];
}

/**
 * Returns a claim token for a job. It begins with the end of its lease in UTC milliseconds: storing that in `due_at`,
 * which is indexed, would write one more row per push.
 */
export function newClaim(now = Date.now()): string {
  return `${now + WORK_LEASE_MS} ${randomToken()}`;
}

/** Builds the condition that a push isn't in progress. The cast reads the leading digits of a text. */
export function isFree(now: number): SQL {
  const { claim, dueAt } = pendingPushes;
  return sql`(${claim} is null or (${dueAt} <= ${now} and cast(${claim} as integer) <= ${now}))`;
}

const named = ({ accountId, wallet, passIds }: PushClaim) =>
  and(
    eq(pendingPushes.accountId, accountId),
    eq(pendingPushes.wallet, wallet),
    sql`${pendingPushes.passId} in (select value from json_each(${JSON.stringify(passIds)}))`,
  );
const held = (claim: PushClaim) =>
  and(named(claim), sql`${pendingPushes.claim} in (select value from json_each(${JSON.stringify(claim.claims)}))`);

const CLAIMED = {
  passId: pendingPushes.passId,
  text: pendingPushes.text,
  attempts: pendingPushes.attempts,
  facts: pendingPushes.facts,
};

/**
 * Builds the statement that claims the named pushes and returns them. Pushes in progress and those of suspended
 * accounts aren't claimed, and two jobs never hold the same push.
 */
export function claimPushes(ctx: Context, claim: PushClaim, now = Date.now()) {
  return ctx.db
    .update(pendingPushes)
    .set({ claim: claim.claims[0], attempts: sql`${pendingPushes.attempts} + 1` })
    .where(and(named(claim), isFree(now), not(isSuspended(claim.accountId))))
    .returning(CLAIMED);
}

/** Builds the query of the pushes that a claim holds, unless the account is suspended. */
export function heldPushes(ctx: Context, claim: PushClaim) {
  return ctx.db
    .select(CLAIMED)
    .from(pendingPushes)
    .where(and(held(claim), not(isSuspended(claim.accountId))));
}

/**
 * Returns whether one of the pushes is requested. If a job couldn't claim it, another delivery of its message is at
 * work, or the account is suspended.
 */
export async function isRequested(ctx: Context, claim: PushClaim): Promise<boolean> {
  const { passId } = pendingPushes;
  return (await ctx.db.select({ passId }).from(pendingPushes).where(named(claim)).limit(1)).length > 0;
}

/** Builds the query of the passes that a claim holds: their identifiers in a column `id`. */
export function claimedPasses(claim: PushClaim): SQL {
  return sql`(select ${pendingPushes.passId} as id from ${pendingPushes} where ${held(claim)})`;
}

/**
 * Returns the facts stored with claimed pushes. A push that was requested again repeats its facts; they are read once.
 */
export function carriedFacts(claimed: { passId: string; facts: string | null }[]): PassFact[] {
  return claimed.flatMap(({ passId, facts }) => (facts === null ? [] : { passId, fact: facts }));
}

/**
 * Deletes sent pushes, except those requested again in the meantime, and adds facts to timelines. One round trip. While
 * the account moves, it waits: otherwise the pushes would be sent again.
 */
export async function settlePushes(ctx: Context, claim: PushClaim, facts: PassFact[] = []): Promise<void> {
  if (claim.passIds.length === 0 && facts.length === 0) return;
  await recordAtHome(ctx, claim.accountId, (home) => {
    const settle = home.db.delete(pendingPushes).where(held(claim));
    return home.db.batch([settle, ...factStatements(home, claim.accountId, facts)]);
  });
}

/**
 * Releases pushes to be retried in `afterSeconds`, by the queue's next delivery or else by the cron. While the account
 * moves, it waits like `settlePushes`: otherwise they would stay claimed for minutes.
 */
export async function postponePushes(
  ctx: Context,
  claim: PushClaim,
  afterSeconds: number,
  facts: PassFact[] = [],
): Promise<void> {
  if (claim.passIds.length === 0) return;
  const dueAt = Date.now() + afterSeconds * 1_000 + HAND_OVER_LEASE_MS;
  await recordAtHome(ctx, claim.accountId, (home) => {
    const postpone = home.db.update(pendingPushes).set({ claim: null, dueAt }).where(held(claim));
    return home.db.batch([postpone, ...factStatements(home, claim.accountId, facts)]);
  });
}

/**
 * Releases a push to be sent in `afterSeconds`, and schedules a message for it. Waiting isn't a failed attempt, so the
 * push's lifetime of one day starts again. While the account moves, it waits like `settlePushes`.
 */
export async function postponeForRateLimit(
  ctx: Context,
  claim: PushClaim,
  job: Job,
  afterSeconds: number,
): Promise<void> {
  const now = Date.now();
  const dueAt = now + Math.min(afterSeconds, DELAY_S_MAX) * 1_000 + HAND_OVER_LEASE_MS;
  await recordAtHome(ctx, claim.accountId, (home) => {
    const release = home.db
      .update(pendingPushes)
      .set({ claim: null, dueAt, requestedAt: now, attempts: sql`${pendingPushes.attempts} - 1` })
      .where(held(claim))
      .returning({ passId: pendingPushes.passId });
    return commit(home, [release], ([held]) => held.map(() => later(job, afterSeconds)));
  });
}
