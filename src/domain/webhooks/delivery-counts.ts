import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { addCounts, hourOf, uncountedOf } from '../statistics/count-events.ts';
import { type Subscription, webhookSubscriptions } from './table.ts';

/*
 * Ends of attempts are counted in the row of their subscription, which each of them changes anyway. These counts are
 * added to the hourly ones with the first end of another hour, so that as a rule a delivery writes no row for them.
 */

/** The end of an attempt: what statistics call it, and when it was, UTC milliseconds. */
export interface AttemptEnd {
  metric: string;
  at: number;
}

/** What `uncounted` calls ends like this one. */
export const nameOf = ({ metric, at }: AttemptEnd) => `${metric} ${hourOf(at)}`;

/** Whether a subscription, as it was read, has counted in another hour than that of these ends. */
export function hasEarlierCounts({ uncounted }: Pick<Subscription, 'uncounted'>, ends: AttemptEnd[]): boolean {
  const hours = new Set(ends.map(({ at }) => String(hourOf(at))));
  return Object.keys(uncounted ?? {}).some((name) => !hours.has(name.split(' ')[1]!));
}

/** SQL for `uncounted` of a subscription with these ends, and without what it has counted before if `isAdded`. */
export function withEnds(ends: AttemptEnd[], isAdded: boolean): SQL {
  const groups = Map.groupBy(ends, nameOf);
  const before = isAdded ? sql`'{}'` : PRESENT;
  const members = [...groups].map(([name, group]) => sql`, ${memberWith(before, name, sql`${group.length}`)}`);
  return sql`json_set(${before}${sql.join(members)})`;
}

/** SQL for `uncounted` of a subscription with as many ends like this one as `count` says. */
export function withSameEnds(end: AttemptEnd, count: SQL): SQL {
  return sql`json_set(${PRESENT}, ${memberWith(PRESENT, nameOf(end), count)})`;
}

const PRESENT = sql`coalesce(${webhookSubscriptions.uncounted}, '{}')`;

function memberWith(before: SQL, name: string, count: SQL): SQL {
  const path = `$."${name}"`;
  return sql`${path}, coalesce(${before} ->> ${path}, 0) + ${count}`;
}

/** The statement that adds the counts of subscriptions to the hourly ones; behind it, its batch takes them away. */
export function addUncounted(ctx: Pick<Context, 'db'>, isMeant: SQL) {
  return addCounts(ctx, uncountedOf(isMeant));
}
