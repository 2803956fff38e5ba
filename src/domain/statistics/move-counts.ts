import { sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Context } from '../context.ts';
import { events } from '../events/table.ts';
import { HOUR, METRIC } from './count-events.ts';
import { countedEvents, hourlyCounts } from './table.ts';

/** Builds the query for the identifier of the last event that a database has counted. */
export function countedUpTo({ db }: Context) {
  return db.select({ last: countedEvents.lastEventId }).from(countedEvents);
}

/**
 * Builds the statement that follows the copied counts of an account, which another database counted up to `last`. This
 * one continues from its own place, so that each event is counted once.
 */
export function alignCounts({ db }: Context, accountId: string, last: string) {
  const own = sql`coalesce((select ${countedEvents.lastEventId} from ${countedEvents}), '')`;
  return rawStatement(
    db,
    sql`insert into ${hourlyCounts} (account_id, metric, hour_at, count)
      select ${events.accountId}, ${METRIC}, ${HOUR}, sum(iif(${events.id} > ${last}, 1, -1)) from ${events}
      where ${events.accountId} = ${accountId} and ${events.id} > min(${last}, ${own}) and ${events.id} <= max(${last}, ${own})
      group by 1, 2, 3
      on conflict (account_id, metric, hour_at) do update set count = count + excluded.count`,
  );
}
