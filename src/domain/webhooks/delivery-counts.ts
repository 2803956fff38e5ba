import { and, eq, lt, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { addCounts, hourOf } from '../statistics/count-events.ts';
import { deferredOf, IS_DEFERRED, storedOf, uncountedOf, WINDOW_DIGITS } from '../statistics/uncounted.ts';
import { DELIVERED } from './attempt.ts';
import { type Subscription, webhookDeliveries, webhookSubscriptions } from './table.ts';

/*
 * Ends of attempts are counted in the row of their subscription. The first end in another hour moves these counts to
 * the hourly ones. Most deliveries are deferred: they don't write this row, and readers add them up. The next write of
 * the row counts them, also in the hourly counts. See `isDeferrable`, and docs/adr/0018-webhook-deliveries.md.
 */

/** End of an attempt: its metric in statistics, and its time, UTC milliseconds. */
export interface AttemptEnd {
  metric: string;
  at: number;
}

/** Returns the key in `uncounted` for ends like this one. */
export const nameOf = ({ metric, at }: AttemptEnd) => `${metric} ${hourOf(at)}`;

/** Whether a subscription, as it was read, has counts of another hour than that of these ends. */
export function hasEarlierCounts({ uncounted }: Pick<Subscription, 'uncounted'>, ends: AttemptEnd[]): boolean {
  const hours = new Set(ends.map(({ at }) => String(hourOf(at))));
  return Object.keys(uncounted ?? {}).some((name) => !hours.has(name.split(' ')[1]!));
}

/** Builds `uncounted` of a subscription with these ends; `isAdded` drops the earlier counts. */
export function withEnds(ends: AttemptEnd[], isAdded: boolean): SQL {
  const groups = Map.groupBy(ends, nameOf);
  const before = isAdded ? sql`'{}'` : PRESENT;
  const members = [...groups].map(([name, group]) => sql`, ${memberWith(before, name, sql`${group.length}`)}`);
  return sql`json_set(${before}${sql.join(members)})`;
}

/** Builds `uncounted` of a subscription with `count` more ends like this one. */
export function withSameEnds(end: AttemptEnd, count: SQL): SQL {
  return sql`json_set(${PRESENT}, ${memberWith(PRESENT, nameOf(end), count)})`;
}

const PRESENT = sql`coalesce(${webhookSubscriptions.uncounted}, '{}')`;

function memberWith(before: SQL, name: string, count: SQL): SQL {
  const path = `$."${name}"`;
  return sql`${path}, coalesce(${before} ->> ${path}, 0) + ${count}`;
}

/**
 * Builds the statement that adds all counts of subscriptions to the hourly ones, for a batch that deletes these
 * subscriptions.
 */
export function addUncounted(ctx: Pick<Context, 'db'>, isMeant: SQL) {
  return addCounts(ctx, uncountedOf(isMeant));
}

/** Builds the same statement for the counts in their rows; its batch resets them afterwards. */
export function addStored(ctx: Pick<Context, 'db'>, isMeant: SQL) {
  return addCounts(ctx, storedOf(isMeant));
}

/** Builds the same statement for deferred counts; its batch sets `figures` and `countedUntil` afterwards. */
export function addDeferred(ctx: Pick<Context, 'db'>, isMeant: SQL, webhooks?: SQL) {
  return addCounts(ctx, deferredOf(isMeant, webhooks));
}

/** Whether an event is later than `countedUntilId`, and in the same window. */
export function isDeferrable({ countedUntilId }: Pick<Subscription, 'countedUntilId'>, eventId: string): boolean {
  const until = countedUntilId ?? '';
  return eventId > until && eventId.slice(0, WINDOW_DIGITS) === until.slice(0, WINDOW_DIGITS);
}

/**
 * Builds the condition that the row of a subscription still has the `countedUntilId` that was read, and doesn't fail.
 * Otherwise its outcomes write this row.
 */
export function isUnchanged(countedUntilId: SQL): SQL {
  return sql`(${webhookSubscriptions.countedUntilId} is ${countedUntilId} and ${webhookSubscriptions.failingSinceAt} is null)`;
}

const ofLastDeferred = (value: string) =>
  sql`(select ${sql.raw(value)} from ${webhookDeliveries} where ${IS_DEFERRED} order by event_id desc limit 1)`;

/** The figures of a subscription with its deferred deliveries: no attempt has failed since. */
export const figures = {
  delivered: sql<number>`${webhookSubscriptions.delivered} + (select count(*) from ${webhookDeliveries} where ${IS_DEFERRED})`,
  lastOutcome: sql<
    string | null
  >`iif(${ofLastDeferred('1')} is null, ${webhookSubscriptions.lastOutcome}, ${sql.raw(`'${DELIVERED}'`)})`,
  lastAttemptAt: sql<
    number | null
  >`max(${webhookSubscriptions.lastAttemptAt}, coalesce(${ofLastDeferred("attempts ->> '$[0].at'")}, 0))`,
  lagMillis: sql<
    number | null
  >`coalesce(${ofLastDeferred("attempts ->> '$[0].lagMs'")}, ${webhookSubscriptions.lagMillis})`,
};

/** Builds `countedUntilId` after the deferred deliveries and this event. */
export function countedUntil(eventId: SQL | string): SQL {
  const { countedUntilId } = webhookSubscriptions;
  return sql`max(coalesce(${countedUntilId}, ''), coalesce(${ofLastDeferred('event_id')}, ''), ${eventId})`;
}

/**
 * Builds the statements that count the deferred deliveries of a subscription, for a batch that deletes those of events
 * before `untilId`.
 */
export function countDeferred(
  ctx: Pick<Context, 'db'>,
  { id, accountId }: Pick<Subscription, 'id' | 'accountId'>,
  untilId: string,
) {
  const columns = webhookSubscriptions;
  const isIt = and(eq(columns.id, id), eq(columns.accountId, accountId), lt(columns.countedUntilId, untilId))!;
  const update = ctx.db
    .update(webhookSubscriptions)
    .set({ ...figures, countedUntilId: countedUntil('') })
    .where(sql`${isIt} and ${ofLastDeferred('1')} is not null`);
  return [addDeferred(ctx, isIt), update] as const;
}
