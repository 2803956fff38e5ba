import { and, eq, not, type SQL, sql } from 'drizzle-orm';
import { randomToken } from '../../platform/ids.ts';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import { DELAY_S_MAX, later } from '../enqueue.ts';
import type { Job } from '../jobs.ts';
import { factStatements, type PassFact } from '../pass-facts/append-facts.ts';
import { isSuspended } from '../suspended.ts';
import { HAND_OVER_LEASE_MS, WORK_LEASE_MS } from './leases.ts';
import { type PushKind, pendingPushes } from './table.ts';

/** Pending pushes of one kind in the hands of one job. */
export interface PushClaim {
  accountId: string;
  wallet: PushKind;
  passIds: string[];
  /** Of `newClaim`. */
  claim: string;
}

/**
 * A name for a job that claims pushes. It begins with the end of its lease, in UTC milliseconds: moving `due_at`, which
 * is indexed, would write another row for each push.
 */
export function newClaim(now = Date.now()): string {
  return `${now + WORK_LEASE_MS} ${randomToken()}`;
}

/** SQL that holds for pushes that nobody works on. A cast takes the digits that a text begins with. */
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

/**
 * The statement that takes those of the named pushes which nobody works on, and returns them; none of a suspended
 * account. Two jobs never hold one.
 */
export function claimPushes(ctx: Context, claim: PushClaim, now = Date.now()) {
  return ctx.db
    .update(pendingPushes)
    .set({ claim: claim.claim, attempts: sql`${pendingPushes.attempts} + 1` })
    .where(and(named(claim), isFree(now), not(isSuspended(claim.accountId))))
    .returning({
      passId: pendingPushes.passId,
      text: pendingPushes.text,
      attempts: pendingPushes.attempts,
      facts: pendingPushes.facts,
    });
}

/** SQL for a query of the passes that a claim holds: their identifiers in a column `id`. */
export function claimedPasses(claim: PushClaim): SQL {
  return sql`(select ${pendingPushes.passId} as id from ${pendingPushes} where ${named(claim)} and ${eq(pendingPushes.claim, claim.claim)})`;
}

/** The facts that claimed pushes carry. One that was requested anew carries them again: they are read once. */
export function carriedFacts(claimed: { passId: string; facts: string | null }[]): PassFact[] {
  return claimed.flatMap(({ passId, facts }) => (facts === null ? [] : { passId, fact: facts }));
}

/**
 * Removes pushes that have been sent, and adds facts to timelines; a push that was requested anew meanwhile stays. One
 * round trip.
 */
export async function settlePushes(ctx: Context, claim: PushClaim, facts: PassFact[] = []): Promise<void> {
  if (claim.passIds.length === 0 && facts.length === 0) return;
  const settle = ctx.db.delete(pendingPushes).where(and(named(claim), eq(pendingPushes.claim, claim.claim)));
  await ctx.db.batch([settle, ...factStatements(ctx, claim.accountId, facts)]);
}

/**
 * Lets go of pushes that are to be tried again in `afterSeconds`, by the queue's next delivery or, should that not
 * come, by the cron.
 */
export async function postponePushes(
  ctx: Context,
  claim: PushClaim,
  afterSeconds: number,
  facts: PassFact[] = [],
): Promise<void> {
  if (claim.passIds.length === 0) return;
  const dueAt = Date.now() + afterSeconds * 1_000 + HAND_OVER_LEASE_MS;
  const postpone = ctx.db
    .update(pendingPushes)
    .set({ claim: null, dueAt })
    .where(and(named(claim), eq(pendingPushes.claim, claim.claim)));
  await ctx.db.batch([postpone, ...factStatements(ctx, claim.accountId, facts)]);
}

/**
 * Lets go of a push whose turn comes in `afterSeconds`, and sends a message for that time. A wait is no failed attempt:
 * the day after which a push is given up begins anew.
 */
export async function awaitTurn(ctx: Context, claim: PushClaim, job: Job, afterSeconds: number): Promise<void> {
  const now = Date.now();
  const dueAt = now + Math.min(afterSeconds, DELAY_S_MAX) * 1_000 + HAND_OVER_LEASE_MS;
  const release = ctx.db
    .update(pendingPushes)
    .set({ claim: null, dueAt, requestedAt: now, attempts: sql`${pendingPushes.attempts} - 1` })
    .where(and(named(claim), eq(pendingPushes.claim, claim.claim)))
    .returning({ passId: pendingPushes.passId });
  await commit(ctx, [release], ([held]) => held.map(() => later(job, afterSeconds)));
}
