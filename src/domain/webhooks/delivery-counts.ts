import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { addCounts, hourOf, uncountedOf } from '../statistics/count-events.ts';
import { type Subscription, webhookSubscriptions } from './table.ts';

/*
 * Ends of attempts are counted in the row of their subscription, which every attempt updates anyway. The first end in
 * another hour moves these counts to the hourly ones, so a delivery usually writes no extra row.
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

/** Builds the statement that adds the counts of subscriptions to the hourly ones; its batch resets them afterwards. */
export function addUncounted(ctx: Pick<Context, 'db'>, isMeant: SQL) {
  return addCounts(ctx, uncountedOf(isMeant));
}
