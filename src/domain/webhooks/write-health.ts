import { and, eq, ne, type SQL, sql } from 'drizzle-orm';
import { ofOwner, recordAction } from '../audit/record-action.ts';
import type { Context } from '../context.ts';
import { DELIVERED, GONE } from './attempt.ts';
import type { ClaimedDelivery } from './claim.ts';
import { type AttemptEnd, addUncounted, hasEarlierCounts, nameOf, withEnds, withSameEnds } from './delivery-counts.ts';
import { PAUSED_AFTER_MS } from './schedule.ts';
import { type Attempt, type DeliveryState, type Subscription, webhookSubscriptions } from './table.ts';

/** Metrics in statistics for the end of an attempt. */
const DELIVERY_METRICS: Record<DeliveryState, string> = {
  delivered: 'webhook_delivered',
  waiting: 'webhook_retried',
  failed: 'webhook_failed',
};

/** A finished attempt. */
export interface FinishedAttempt {
  claimed: ClaimedDelivery;
  attempt: Attempt;
}

/** State of the delivery after the attempt. */
export interface DeliveryOutcome extends FinishedAttempt {
  state: DeliveryState;
  attemptCount: number;
  dueAt: number | null;
}

/** Returns the milliseconds from an event to the end of an attempt to deliver it. */
export function lagOf({ attempt, claimed }: FinishedAttempt): number {
  return attempt.at + attempt.durationMs - claimed.event.createdAt;
}

/** Attempts of a subscription in one write. */
interface Report {
  subscription: Subscription;
  list: DeliveryOutcome[];
  latest: DeliveryOutcome;
  ends: AttemptEnd[];
  /** Whether counts of an earlier hour must be moved. */
  isAnotherHour: boolean;
}

/**
 * Builds the statements that update the figures of subscriptions, the start of their failures, and their status. The
 * usual healthy ones share a statement.
 */
export function healthStatements(ctx: Context, outcomes: DeliveryOutcome[], now: number) {
  const reports = [...Map.groupBy(outcomes, ({ claimed }) => claimed.subscription.id).values()].map(reportOf);
  const isWell = ({ list, ends, isAnotherHour }: Report) =>
    !isAnotherHour && list.every(({ state }) => state === 'delivered') && new Set(ends.map(nameOf)).size === 1;
  const { well = [], other = [] } = Object.groupBy(reports, (report) => (isWell(report) ? 'well' : 'other'));
  const ofHours = Map.groupBy(well, ({ ends }) => nameOf(ends[0]!));
  return [
    ...[...ofHours.values()].map((same) => updateHealthy(ctx, same)),
    ...other.flatMap((report) => updateOther(ctx, report, now)),
  ];
}

function reportOf(list: DeliveryOutcome[]): Report {
  const latest = list.reduce((a, b) =>
    b.attempt.at + b.attempt.durationMs >= a.attempt.at + a.attempt.durationMs ? b : a,
  );
  const { subscription } = latest.claimed;
  const ends = list.map(({ attempt, state }) => ({ metric: DELIVERY_METRICS[state], at: attempt.at }));
  return { subscription, list, latest, ends, isAnotherHour: hasEarlierCounts(subscription, ends) };
}

/** Updates subscriptions whose events were all delivered, in the same hour. */
function updateHealthy(ctx: Context, reports: Report[]) {
  const rows = reports.map(({ subscription: { id, accountId }, list, latest }) => [
    id,
    accountId,
    list.length,
    latest.attempt.at,
    lagOf(list.at(-1)!),
  ]);
  const column = (at: number) => sql.raw(`told.value ->> ${at}`);
  return ctx.db
    .update(webhookSubscriptions)
    .set({
      delivered: sql`${webhookSubscriptions.delivered} + ${column(2)}`,
      uncounted: withSameEnds(reports[0]!.ends[0]!, column(2)),
      lastOutcome: DELIVERED,
      lastAttemptAt: column(3),
      lagMillis: column(4),
      failingSinceAt: null,
    })
    .from(sql`json_each(${JSON.stringify(rows)}) as told`)
    .where(and(sql`${webhookSubscriptions.id} = ${column(0)}`, sql`${webhookSubscriptions.accountId} = ${column(1)}`));
}

function updateOther(ctx: Context, { subscription, list, latest, ends, isAnotherHour }: Report, now: number) {
  const { id, accountId, event } = subscription;
  const delivered = list.filter(({ state }) => state === 'delivered');
  const lastDelivered = delivered.at(-1);
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
  const isTarget = and(eq(webhookSubscriptions.id, id), eq(webhookSubscriptions.accountId, accountId));
  const record = (action: 'webhook.end' | 'webhook.pause', condition: SQL) =>
    recordAction(
      ofOwner(ctx, accountId),
      { action, target: { type: 'webhook', id, name: event }, from: webhookSubscriptions },
      sql`${isTarget} and ${condition}`,
    );
  // Only if this write may end or pause it.
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
    .where(isTarget);
  return [...(isAnotherHour ? [addUncounted(ctx, isTarget!)] : []), ...entries, update];
}
