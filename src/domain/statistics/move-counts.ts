import { sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Context } from '../context.ts';
import { events } from '../events/table.ts';
import { HOUR, METRIC } from './count-events.ts';
import { countedEvents, hourlyCounts } from './table.ts';

/** The identifier of the event up to which a database has counted. */
export async function countedUpTo({ db }: Context): Promise<string> {
  const [row] = await db.select({ last: countedEvents.lastEventId }).from(countedEvents);
  return row?.last ?? '';
}

/**
 * The statement that goes behind an account's counts as another database has them, which has counted up to `last`:
 * this one goes on from its own place, so that each event is counted once.
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
