import { type SQL, sql } from 'drizzle-orm';
import { HOUR_MS } from './count-events.ts';

/*
 * Ends of webhooks' attempts that the hourly counts don't include yet: in the row of a webhook, or in rows of its
 * deliveries. Tables are named in SQL, because webhooks import statistics and not the other way round.
 */

/** Digits that identifiers share for 17 minutes: the other five digits of their time are 1,048,576 milliseconds. */
export const WINDOW_DIGITS = 7;

/** SQL condition for a row of `event_deliveries` that its row of `webhook_subscriptions` doesn't count yet. */
export const IS_DEFERRED = sql.raw(`subscription_id = webhook_subscriptions.id and event_id > counted_until_id
  and event_id < substr(counted_until_id, 1, ${WINDOW_DIGITS}) || '~' and attempts ->> '$[0].lagMs' is not null`);

const AT = sql.raw("(attempts ->> '$[0].at')");
const STORED = sql.raw('select key as name, value as number from json_each(webhook_subscriptions.uncounted)');
const DEFERRED = sql`select 'webhook_delivered ' || (${AT} - ${AT} % ${HOUR_MS}) as name, count(*) as number
  from event_deliveries where ${IS_DEFERRED} group by 1`;
const [METRIC, HOUR] = ["1, instr(counted.key, ' ') - 1", "instr(counted.key, ' ') + 1"].map((part) =>
  sql.raw(`substr(counted.key, ${part})`),
);

/** Returns SQL that selects account, metric, start of the hour and number. `isMeant` is a condition for webhooks. */
export function uncountedOf(isMeant: SQL): SQL {
  return countsOf(sql`${STORED} union all ${DEFERRED}`, isMeant);
}

/** Returns the part of `uncountedOf` in the rows of webhooks. */
export function storedOf(isMeant: SQL): SQL {
  return countsOf(STORED, isMeant);
}

/** Returns the part of `uncountedOf` in rows of deliveries. `webhooks` is a join whose last table has the webhooks. */
export function deferredOf(isMeant: SQL, webhooks?: SQL): SQL {
  return countsOf(DEFERRED, isMeant, webhooks);
}

/** `counts` selects names, as in `uncounted`, and numbers. */
function countsOf(counts: SQL, isMeant: SQL, webhooks = sql.raw('webhook_subscriptions')): SQL {
  const summed = sql`(select json_group_object(name, number) from (${counts}))`;
  return sql`select account_id, ${METRIC} as metric, cast(${HOUR} as integer) as hour_at, counted.value as count
    from (select account_id, ${summed} as counts from ${webhooks} where ${isMeant}) cross join json_each(counts) as counted where true`;
}
