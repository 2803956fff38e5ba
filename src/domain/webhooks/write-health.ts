import { and, eq, ne, type SQL, sql } from 'drizzle-orm';
import { ofOwner, recordAction } from '../audit/record-action.ts';
import type { Context } from '../context.ts';
import { type Deliveries, noteDeliveries } from '../metrics/outcomes.ts';
import { DELIVERED, GONE } from './attempt.ts';
import type { ClaimedDelivery } from './claim.ts';
import {
  type AttemptEnd,
  addDeferred,
  addStored,
  countedUntil,
  figures,
  hasEarlierCounts,
  isDeferrable,
  isUnchanged,
  nameOf,
  withEnds,
  withSameEnds,
} from './delivery-counts.ts';
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
  /** Identifier of the last event. */
  lastId: string;
  ends: AttemptEnd[];
  /** Whether counts of an earlier hour must be moved. */
  isAnotherHour: boolean;
  /** Whether all were delivered, and are counted for the same hour. */
  isWell: boolean;
  /** Their count can be deferred while this is the row's `countedUntilId`; empty: it can't. */
  deferredAfter: string;
}

/** More deliveries than this in one write aren't deferred, because readers add deferred ones up. */
const DEFERRED_MAX = 10;

/** Groups outcomes by subscription. */
export function reportsOf(outcomes: DeliveryOutcome[]): Report[] {
  return [...Map.groupBy(outcomes, ({ claimed }) => claimed.subscription.id).values()].map(reportOf);
}

/**
 * Builds the statements that update the figures of subscriptions, the start of their failures, and their status. The
 * usual healthy ones share a statement. They follow the update of the deliveries in the same batch.
 */
export function healthStatements(ctx: Context, reports: Report[], now: number) {
  if (reports.length === 0) return [];
  const { well = [], other = [] } = Object.groupBy(reports, ({ isWell }) => (isWell ? 'well' : 'other'));
  const alike = Map.groupBy(well, ({ ends, deferredAfter }) => `${nameOf(ends[0]!)} ${deferredAfter === ''}`);
  return [
    ...addDeferredOf(ctx, reports),
    ...[...alike.values()].map((same) => updateHealthy(ctx, same)),
    ...other.flatMap((report) => updateOther(ctx, report, now)),
  ];
}

function reportOf(list: DeliveryOutcome[]): Report {
  const latest = list.reduce((a, b) =>
    b.attempt.at + b.attempt.durationMs >= a.attempt.at + a.attempt.durationMs ? b : a,
  );
  const { subscription } = latest.claimed;
  const ends = list.map(({ attempt, state }) => ({ metric: DELIVERY_METRICS[state], at: attempt.at }));
  const isAnotherHour = hasEarlierCounts(subscription, ends);
  const isWell =
    !isAnotherHour && list.every(({ state }) => state === 'delivered') && new Set(ends.map(nameOf)).size === 1;
  const isDeferred =
    isWell &&
    list.length <= DEFERRED_MAX &&
    subscription.failingSinceAt === null &&
    list.every(({ claimed: { attempts, event } }) => attempts.length === 0 && isDeferrable(subscription, event.id));
  const lastId = list.map(({ claimed }) => claimed.event.id).reduce((a, b) => (a > b ? a : b));
  const deferredAfter = (isDeferred && subscription.countedUntilId) || '';
  return { subscription, list, latest, lastId, ends, isAnotherHour, isWell, deferredAfter };
}

const column = (at: number) => sql.raw(`told.value ->> ${at}`);

/** Builds the condition that a subscription is named in `told` by its identifier and account, and must be written. */
function isTold(deferredAfter: SQL): SQL {
  const { id, accountId } = webhookSubscriptions;
  return sql`${id} = ${column(0)} and ${accountId} = ${column(1)} and not ${isUnchanged(deferredAfter)}`;
}

/** Adds deferred counts of the subscriptions whose rows this batch writes in any case. */
function addDeferredOf(ctx: Context, reports: Report[]) {
  const rows = reports.flatMap(({ subscription: { id, accountId }, deferredAfter }) =>
    deferredAfter === '' ? [[id, accountId, deferredAfter]] : [],
  );
  if (rows.length === 0) return [];
  const told = sql`json_each(${JSON.stringify(rows)}) as told cross join ${webhookSubscriptions}`;
  return [addDeferred(ctx, isTold(column(2)), told)];
}

/**
 * Updates subscriptions whose events were all delivered, in the same hour. Those whose count can be deferred are only
 * written if another run has written them meanwhile, and their other deferred deliveries stay so.
 */
function updateHealthy(ctx: Context, reports: Report[]) {
  const rows = reports.map(({ subscription: { id, accountId }, list, latest, lastId, deferredAfter }) => [
    id,
    accountId,
    deferredAfter,
    latest.attempt.at,
    lagOf(list.at(-1)!),
    list.length,
    lastId,
  ]);
  const isDeferred = reports[0]!.deferredAfter !== '';
  return ctx.db
    .update(webhookSubscriptions)
    .set({
      delivered: sql`${isDeferred ? webhookSubscriptions.delivered : figures.delivered} + ${column(5)}`,
      uncounted: withSameEnds(reports[0]!.ends[0]!, column(5)),
      lastOutcome: DELIVERED,
      lastAttemptAt: column(3),
      lagMillis: column(4),
      failingSinceAt: null,
      ...(isDeferred ? {} : { countedUntilId: countedUntil(column(6)) }),
    })
    .from(sql`json_each(${JSON.stringify(rows)}) as told`)
    .where(isTold(column(2)));
}

function updateOther(ctx: Context, { subscription, list, latest, lastId, ends, isAnotherHour }: Report, now: number) {
  const { id, accountId, event } = subscription;
  const delivered = list.filter(({ state }) => state === 'delivered');
  const lastDelivered = delivered.at(-1);
  const { failed: failedCount, failingSinceAt, status } = webhookSubscriptions;
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
      delivered: sql`${figures.delivered} + ${delivered.length}`,
      failed: sql`${failedCount} + ${list.filter(({ state }) => state === 'failed').length}`,
      uncounted: withEnds(ends, isAnotherHour),
      lastOutcome: latest.attempt.outcome,
      lastAttemptAt: latest.attempt.at,
      lagMillis: lastDelivered ? lagOf(lastDelivered) : figures.lagMillis,
      countedUntilId: countedUntil(lastId),
      ...health,
      ...(gone ? { status: 'ended' as const } : {}),
    })
    .where(isTarget);
  return [...(isAnotherHour ? [addStored(ctx, isTarget!)] : []), ...entries, update];
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays between a failed attempt's end and the next attempt. */
export const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** Maximum random extension of a delay, so that failed deliveries don't all return at once. */
const JITTER_PART_MAX = 0.2;

/** Time for which a subscription may fail before it is paused. */
export const PAUSED_AFTER_MS = 5 * 24 * HOUR_MS;

/**
 * Returns when the next attempt is due after `attemptCount` failed ones, UTC milliseconds; undefined if none is left.
 */
export function nextAttemptAt(attemptCount: number, now: number, random = Math.random()): number | undefined {
  const delay = RETRY_DELAYS_MS[attemptCount - 1];
  return delay === undefined ? undefined : Math.round(now + delay * (1 + JITTER_PART_MAX * random));
}

/** Outcome names in data points, by the state of a delivery after an attempt. */
const OUTCOMES: Record<DeliveryState, keyof Deliveries> = {
  delivered: 'delivered',
  waiting: 'retry',
  failed: 'failed',
};

/** Counts the attempts of a run by outcome, for its data point. */
export class DeliveryTally {
  #sums: Deliveries = {};

  add(outcomes: DeliveryOutcome[]): void {
    for (const outcome of outcomes) {
      const name = OUTCOMES[outcome.state];
      const { count, durationMs, ageMs } = this.#sums[name] ?? { count: 0, ageMs: 0, durationMs: 0 };
      this.#sums[name] = {
        count: count + 1,
        ageMs: Math.max(ageMs, lagOf(outcome)),
        durationMs: Math.max(durationMs, outcome.attempt.durationMs),
      };
    }
  }

  record(ctx: Context): void {
    noteDeliveries(ctx, this.#sums);
  }
}
