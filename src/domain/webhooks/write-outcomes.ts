import { and, sql } from 'drizzle-orm';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import { DELAY_S_MAX, type Delayed } from '../enqueue.ts';
import { DELIVERED, GONE } from './attempt.ts';
import type { ClaimedDelivery } from './claim.ts';
import { isUnchanged } from './delivery-counts.ts';
import {
  type Attempt,
  type DeliveryState,
  deliveryJob,
  type Subscription,
  webhookDeliveries,
  webhookSubscriptions,
} from './table.ts';
import {
  type DeliveryOutcome,
  type FinishedAttempt,
  healthStatements,
  lagOf,
  nextAttemptAt,
  reportsOf,
} from './write-health.ts';

/** Maximum number of attempts in the row of a delivery: a whole schedule. */
const ATTEMPTS_KEPT_MAX = 10;

/**
 * Writes the outcomes of attempts and returns them. Gives back unused claims. Changes a row only while this run has
 * claimed it. Pauses a subscription after five days of failures, and ends one whose receiver is gone. Enqueues retries
 * and the jobs of `again`. One round trip.
 */
export async function writeOutcomes(
  ctx: Context,
  finished: FinishedAttempt[],
  unused: ClaimedDelivery[],
  again: Subscription[],
  now = Date.now(),
): Promise<DeliveryOutcome[]> {
  const outcomes = finished.map((one) => outcomeOf(one, now));
  const reports = reportsOf(outcomes);
  const rows = [
    ...reports.flatMap(({ list, deferredAfter }) => list.map((outcome) => outcomeRow(outcome, deferredAfter))),
    ...unused.map((claimed) => rowOf(claimed, 'waiting', now, claimed.attemptCount, claimed.attempts)),
  ];
  const column = (at: number) => sql.raw(`outcome.value ->> ${at}`);
  const { id, accountId } = webhookSubscriptions;
  const isDeferred = sql`${column(7)} <> '' and exists (select 1 from ${webhookSubscriptions}
    where ${id} = ${column(0)} and ${accountId} = ${column(8)} and ${isUnchanged(column(7))})`;
  const attempts = sql.raw('outcome.value -> 6');
  const deliveries = ctx.db
    .update(webhookDeliveries)
    .set({
      state: column(3),
      nextAttemptAt: column(4),
      attemptCount: column(5),
      attempts: sql`iif(${isDeferred}, json_set(${attempts}, '$[0].lagMs', ${column(9)}), ${attempts})`,
    })
    .from(sql`json_each(${JSON.stringify(rows)}) as outcome`)
    .where(
      and(
        sql`${webhookDeliveries.subscriptionId} = ${column(0)}`,
        sql`${webhookDeliveries.eventId} = ${column(1)}`,
        sql`${webhookDeliveries.nextAttemptAt} = ${column(2)}`,
      ),
    );
  const statements = [deliveries, ...healthStatements(ctx, reports, now)];
  await commit(ctx, statements, [...again.map(deliveryJob), ...retriesOf(outcomes, now)]);
  return outcomes;
}

function outcomeRow(outcome: DeliveryOutcome, deferredAfter: string) {
  const { claimed, attempt, state, attemptCount, dueAt } = outcome;
  const attempts = [...claimed.attempts, attempt].slice(-ATTEMPTS_KEPT_MAX);
  const row = rowOf(claimed, state, dueAt, attemptCount, attempts);
  return [...row, deferredAfter, claimed.subscription.accountId, lagOf(outcome)];
}

function rowOf(
  claimed: ClaimedDelivery,
  state: DeliveryState,
  dueAt: number | null,
  count: number,
  attempts: Attempt[],
) {
  const { subscription, event, leaseUntilAt } = claimed;
  return [subscription.id, event.id, leaseUntilAt, state, dueAt, count, attempts];
}

function outcomeOf(finished: FinishedAttempt, now: number): DeliveryOutcome {
  const { claimed, attempt } = finished;
  const attemptCount = claimed.attemptCount + 1;
  if (attempt.outcome === DELIVERED) return { ...finished, state: 'delivered', attemptCount, dueAt: null };
  const retries = claimed.subscription.retryEnabled && attempt.outcome !== GONE;
  const dueAt = retries ? nextAttemptAt(attemptCount, now) : undefined;
  return { ...finished, state: dueAt === undefined ? 'failed' : 'waiting', attemptCount, dueAt: dueAt ?? null };
}

/**
 * Returns one job for retries of a subscription that are due at about the same time. The cron finds those due later
 * than the queue can delay.
 */
function retriesOf(outcomes: DeliveryOutcome[], now: number): Delayed[] {
  const waiting = outcomes.filter(({ dueAt }) => dueAt !== null);
  const groups = Map.groupBy(waiting, ({ claimed, attemptCount }) => `${claimed.subscription.id} ${attemptCount}`);
  return [...groups.values()].flatMap((group) => {
    const lastAt = Math.max(...group.map(({ dueAt }) => dueAt!));
    const delaySeconds = Math.ceil((lastAt - now) / 1_000);
    if (delaySeconds > DELAY_S_MAX) return [];
    return [{ job: deliveryJob(group[0]!.claimed.subscription), delaySeconds }];
  });
}
