import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { uuidBytes } from '../../platform/uuid-bytes.ts';
import type { Context } from '../context.ts';
import { isOfNoCopy } from '../no-copies.ts';
import { inPages, PAGE_ROWS } from '../purge.ts';
import { withoutLinkToken } from './remove-link-tokens.ts';
import { earlierEvents, events } from './table.ts';

/*
 * Events of releases before 0.2.0 stay in their table for the 32 days that events are kept. A release after that can
 * drop it, and this file with it.
 */

const COLUMNS = sql.raw('id, account_id, type, template_id, pass_id, body, created_at, subscription_id');

/**
 * SQL for a table of those events of an account whose identifiers `ids` selects. It goes by the name of `events`, and
 * has no column that only one of the two tables has.
 */
export function earlierEventsNamed(accountId: string | SQL, ids: SQL): SQL {
  return sql`(select ${COLUMNS} from ${earlierEvents} where id in ${ids} and +account_id = ${accountId}) as ${events}`;
}

/** SQL like `earlierEventsNamed`, also for the events of this release. */
export function eventsNamed(accountId: string | SQL, ids: SQL): SQL {
  return sql`(select ${COLUMNS} from ${events} where account_id = ${accountId} and id in ${ids}
    union all select ${COLUMNS} from ${earlierEvents} where id in ${ids} and +account_id = ${accountId}) as ${events}`;
}

/** SQL like `eventsNamed` for the first `limit` events between two identifiers, the second one excluded, in order. */
export function eventsBetween(accountId: string | SQL, [from, to]: [SQL, SQL], limit: number): SQL {
  const range = sql`account_id = ${accountId} and id >= ${from} and id < ${to} order by id limit ${limit}`;
  return sql`(select * from (select ${COLUMNS} from ${events} where ${range})
    union all select * from (select ${COLUMNS} from ${earlierEvents} where ${range}) order by id limit ${limit}) as ${events}`;
}

/** SQL that holds while there is something for `moveEarlierEvents`. */
export function hasEarlierEvents(countedUpTo: SQL): SQL {
  return sql`(exists (select 1 from ${earlierEvents} where ${earlierEvents.id} > ${countedUpTo})
    or exists (select 1 from ${earlierEvents} where ${earlierEvents.pending} is not null))`;
}

/**
 * Moves those events of the release before that await their deliveries, or that `countedUpTo` is not behind: an
 * instance of it may have stored them a moment ago.
 */
export async function moveEarlierEvents(ctx: Context, countedUpTo: string): Promise<void> {
  const page = sql`(select key from (select key from ${earlierEvents} where pending is not null
    and ${isOfNoCopy(earlierEvents.accountId)} union select key from ${earlierEvents} where id > ${countedUpTo}
    and ${isOfNoCopy(earlierEvents.accountId)}) order by key limit ${PAGE_ROWS})`;
  const body = withoutLinkToken(sql`body`, sql`pass_id`);
  // Their order is that of their keys, as of those that wait already.
  const pending = sql`iif(pending is null, null,
    (select coalesce(max(waiting.pending), 0) from ${events} as waiting where waiting.pending is not null) + row_number() over (order by key))`;
  const move = rawStatement(
    ctx.db,
    sql`insert into ${events} (id, account_id, type, template, pass, body, created_at, subscription_id, pending, has_values)
      select id, account_id, type, ${uuidBytes(sql`template_id`)}, ${uuidBytes(sql`pass_id`)}, ${body}, created_at, subscription_id, ${pending}, 1
      from ${earlierEvents} where key in ${page} on conflict do nothing`,
  );
  await inPages(
    async () => {
      const moved = ctx.db.delete(earlierEvents).where(sql`${earlierEvents.key} in ${page}`);
      return (await ctx.db.batch([move, moved]))[1].meta.changes;
    },
    { enough: PAGE_ROWS },
  );
}
