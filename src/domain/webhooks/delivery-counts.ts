import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { addCounts, hourOf, uncountedOf } from '../statistics/count-events.ts';
import { type Subscription, webhookSubscriptions } from './table.ts';

/*
 * Ends of attempts are counted in the row of their subscription, which each of them changes anyway. These counts are
 * added to the hourly ones with the first end of another hour, so that as a rule a delivery writes no row for them.
 */

/** The end of an attempt: what statistics call it, and when it was, UTC milliseconds. */
interface AttemptEnd {
  metric: string;
  at: number;
}

const nameOf = ({ metric, at }: AttemptEnd) => `${metric} ${hourOf(at)}`;

/** Whether a subscription, as it was read, has counted in another hour than that of these ends. */
export function hasEarlierCounts({ uncounted }: Pick<Subscription, 'uncounted'>, ends: AttemptEnd[]): boolean {
  const hours = new Set(ends.map(({ at }) => String(hourOf(at))));
  return Object.keys(uncounted ?? {}).some((name) => !hours.has(name.split(' ')[1]!));
}

/** SQL for `uncounted` of a subscription with these ends, and without what it has counted before if `isAdded`. */
export function withEnds(ends: AttemptEnd[], isAdded: boolean): SQL {
  const groups = Map.groupBy(ends, nameOf);
  const before = isAdded ? sql`'{}'` : sql`coalesce(${webhookSubscriptions.uncounted}, '{}')`;
  const members = [...groups].map(([name, group]) => {
    const path = `$."${name}"`;
    return sql`, ${path}, coalesce(${before} ->> ${path}, 0) + ${group.length}`;
  });
  return sql`json_set(${before}${sql.join(members)})`;
}

/** The statement that adds the counts of subscriptions to the hourly ones; behind it, its batch takes them away. */
export function addUncounted(ctx: Pick<Context, 'db'>, isMeant: SQL) {
  return addCounts(ctx, uncountedOf(isMeant));
}
