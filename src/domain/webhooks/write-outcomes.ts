import { and, eq, ne, type SQL, sql } from 'drizzle-orm';
import { ofOwner, recordAction } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import { DELAY_S_MAX, type Delayed } from '../enqueue.ts';
import { DELIVERED, GONE } from './attempt.ts';
import type { Claimed } from './claim.ts';
import { addUncounted, hasEarlierCounts, withEnds } from './delivery-counts.ts';
import { nextAttemptAt, PAUSED_AFTER_MS } from './schedule.ts';
import {
  type Attempt,
  type DeliveryState,
  deliveryJob,
  type Subscription,
  webhookDeliveries,
  webhookSubscriptions,
} from './table.ts';

/** Attempts that the row of a delivery keeps: all of a schedule. */
const ATTEMPTS_KEPT_MAX = 10;

/** The metric of each outcome in the statistics. */
const DELIVERY_METRICS: Record<DeliveryState, string> = {
  delivered: 'webhook_delivered',
  waiting: 'webhook_retried',
  failed: 'webhook_failed',
};

/** An attempt that has ended. */
export interface Finished {
  claimed: Claimed;
  attempt: Attempt;
}

/** The state of the delivery after it. */
export interface Outcome extends Finished {
  state: DeliveryState;
  attemptCount: number;
  dueAt: number | null;
}

/**
 * Writes the outcomes of attempts, and returns them. Gives back unused claims. A row changes only while this run has
 * claimed it. Pauses a subscription that has failed for five days, and ends one whose receiver is gone. Enqueues the
 * retries and a job for each of `again`. One round trip.
 */
export async function writeOutcomes(
  ctx: Context,
  finished: Finished[],
  unused: Claimed[],
  again: Subscription[],
  now = Date.now(),
): Promise<Outcome[]> {
  const outcomes = finished.map((one) => outcomeOf(one, now));
  const rows = [
    ...outcomes.map(({ claimed, attempt, state, attemptCount, dueAt }) => {
      const attempts = [...claimed.attempts, attempt].slice(-ATTEMPTS_KEPT_MAX);
      return rowOf(claimed, state, dueAt, attemptCount, attempts);
    }),
    ...unused.map((claimed) => rowOf(claimed, 'waiting', now, claimed.attemptCount, claimed.attempts)),
  ];
  const column = (at: number) => sql.raw(`outcome.value ->> ${at}`);
  const deliveries = ctx.db
    .update(webhookDeliveries)
    .set({ state: column(3), nextAttemptAt: column(4), attemptCount: column(5), attempts: column(6) })
    .from(sql`json_each(${JSON.stringify(rows)}) as outcome`)
    .where(
      and(
        sql`${webhookDeliveries.subscriptionId} = ${column(0)}`,
        sql`${webhookDeliveries.eventId} = ${column(1)}`,
        sql`${webhookDeliveries.nextAttemptAt} = ${column(2)}`,
      ),
    );
  const statements = [deliveries, ...healthStatements(ctx, outcomes, now)];
  await commit(ctx, statements, [...again.map(deliveryJob), ...retriesOf(outcomes, now)]);
  return outcomes;
}

/** Milliseconds from an event to the end of an attempt to deliver it. */
export function lagOf({ attempt, claimed }: Finished): number {
  return attempt.at + attempt.durationMs - claimed.event.createdAt;
}

function rowOf(claimed: Claimed, state: DeliveryState, dueAt: number | null, count: number, attempts: Attempt[]) {
  const { subscription, event, leaseUntilAt } = claimed;
  return [subscription.id, event.id, leaseUntilAt, state, dueAt, count, JSON.stringify(attempts)];
}

function outcomeOf(finished: Finished, now: number): Outcome {
  const { claimed, attempt } = finished;
  const attemptCount = claimed.attemptCount + 1;
  if (attempt.outcome === DELIVERED) return { ...finished, state: 'delivered', attemptCount, dueAt: null };
  const retries = claimed.subscription.retryEnabled && attempt.outcome !== GONE;
  const dueAt = retries ? nextAttemptAt(attemptCount, now) : undefined;
  return { ...finished, state: dueAt === undefined ? 'failed' : 'waiting', attemptCount, dueAt: dueAt ?? null };
}

/** Updates each subscription once: its counts, since when it fails, and its status. */
function healthStatements(ctx: Context, outcomes: Outcome[], now: number) {
  const ofSubscription = Map.groupBy(outcomes, ({ claimed }) => claimed.subscription.id);
  return [...ofSubscription].flatMap(([id, list]) => {
    const delivered = list.filter(({ state }) => state === 'delivered');
    const latest = list.reduce((a, b) =>
      b.attempt.at + b.attempt.durationMs >= a.attempt.at + a.attempt.durationMs ? b : a,
    );
    const lastDelivered = delivered.at(-1);
    const ends = list.map(({ attempt, state }) => ({ metric: DELIVERY_METRICS[state], at: attempt.at }));
    const isAnotherHour = hasEarlierCounts(latest.claimed.subscription, ends);
    const { delivered: deliveredCount, failed: failedCount, failingSinceAt, status } = webhookSubscriptions;
    const gone = list.some(({ attempt }) => attempt.outcome === GONE);
    const failsTooLong = sql`${failingSinceAt} <= ${now - PAUSED_AFTER_MS} and ${eq(status, 'active')}`;
    const health = lastDelivered
      ? { failingSinceAt: null }
      : {
          failingSinceAt: sql`coalesce(${failingSinceAt}, ${latest.attempt.at})`,
          status: sql`case when ${failsTooLong} then 'paused' else ${status} end`,
          notifyOwnerAt: sql`case when ${failsTooLong} then ${now} else ${webhookSubscriptions.notifyOwnerAt} end`,
        };
    const { accountId, event } = latest.claimed.subscription;
    const isIt = and(eq(webhookSubscriptions.id, id), eq(webhookSubscriptions.accountId, accountId));
    const record = (action: 'webhook.end' | 'webhook.pause', condition: SQL) =>
      recordAction(
        ofOwner(ctx, accountId),
        { action, target: { type: 'webhook', id, name: event }, from: webhookSubscriptions },
        sql`${isIt} and ${condition}`,
      );
    // After a delivery nothing pauses the subscription, so the batch needs no entry.
    const entries = gone
      ? [record('webhook.end', ne(status, 'ended'))]
      : lastDelivered
        ? []
        : [record('webhook.pause', failsTooLong)];
    const update = ctx.db
      .update(webhookSubscriptions)
      .set({
        delivered: sql`${deliveredCount} + ${delivered.length}`,
        failed: sql`${failedCount} + ${list.filter(({ state }) => state === 'failed').length}`,
        uncounted: withEnds(ends, isAnotherHour),
        lastOutcome: latest.attempt.outcome,
        lastAttemptAt: latest.attempt.at,
        ...(lastDelivered ? { lagMillis: lagOf(lastDelivered) } : {}),
        ...health,
        ...(gone ? { status: 'ended' as const } : {}),
      })
      .where(isIt);
    return [...(isAnotherHour ? [addUncounted(ctx, isIt!)] : []), ...entries, update];
  });
}

/**
 * One look for the retries of a subscription that are due at about the same time; what is due later than a queue can
 * wait is found by the cron's sweep.
 */
function retriesOf(outcomes: Outcome[], now: number): Delayed[] {
  const waiting = outcomes.filter(({ dueAt }) => dueAt !== null);
  const groups = Map.groupBy(waiting, ({ claimed, attemptCount }) => `${claimed.subscription.id} ${attemptCount}`);
  return [...groups.values()].flatMap((group) => {
    const lastAt = Math.max(...group.map(({ dueAt }) => dueAt!));
    const delaySeconds = Math.ceil((lastAt - now) / 1_000);
    if (delaySeconds > DELAY_S_MAX) return [];
    return [{ job: deliveryJob(group[0]!.claimed.subscription), delaySeconds }];
  });
}
