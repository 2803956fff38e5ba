import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { uuidBytes } from '../../platform/uuid-bytes.ts';
import type { AccountContext, Context } from '../context.ts';
import { isNotCopy } from '../moved.ts';
import { PAGE_ROWS, runInPages } from '../purge.ts';
import { withoutLinkToken } from './remove-link-tokens.ts';
import { earlierEvents, events } from './table.ts';

/*
 * Events of releases before 0.2.0 stay in their table for the 32 days that events are kept. A later release can drop
 * the table and this file.
 */

const COLUMNS = sql.raw('id, account_id, type, template_id, pass_id, body, created_at, subscription_id');

/**
 * Builds a table expression, named `events`, of an account's earlier events whose identifiers `ids` selects. It has
 * only the columns that both tables have.
 */
export function earlierEventsNamed(accountId: string | SQL, ids: SQL): SQL {
  return sql`(select ${COLUMNS} from ${earlierEvents} where id in ${ids} and +account_id = ${accountId}) as ${events}`;
}

/** Does the same as `earlierEventsNamed`, with the events of this release included. */
function eventsNamed(accountId: string | SQL, ids: SQL): SQL {
  return sql`(select ${COLUMNS} from ${events} where account_id = ${accountId} and id in ${ids}
    union all select ${COLUMNS} from ${earlierEvents} where id in ${ids} and +account_id = ${accountId}) as ${events}`;
}

/**
 * Does the same as `eventsNamed` for the first `limit` events between two identifiers in order, the second one
 * excluded.
 */
export function eventsBetween(accountId: string | SQL, [from, to]: [SQL, SQL], limit: number): SQL {
  const range = sql`account_id = ${accountId} and id >= ${from} and id < ${to} order by id limit ${limit}`;
  return sql`(select * from (select ${COLUMNS} from ${events} where ${range})
    union all select * from (select ${COLUMNS} from ${earlierEvents} where ${range}) order by id limit ${limit}) as ${events}`;
}

/** Builds the condition that `moveEarlierEvents` has something to do. */
export function hasEarlierEvents(countedUpTo: SQL): SQL {
  return sql`(exists (select 1 from ${earlierEvents} where ${earlierEvents.id} > ${countedUpTo})
    or exists (select 1 from ${earlierEvents} where ${earlierEvents.pending} is not null))`;
}

/**
 * Moves earlier events that await their deliveries or come after `countedUpTo`: an instance of the earlier release may
 * have just stored them.
 */
export async function moveEarlierEvents(ctx: Context, countedUpTo: string): Promise<void> {
  const page = sql`(select key from (select key from ${earlierEvents} where pending is not null
    and ${isNotCopy(earlierEvents.accountId)} union select key from ${earlierEvents} where id > ${countedUpTo}
    and ${isNotCopy(earlierEvents.accountId)}) order by key limit ${PAGE_ROWS})`;
  const body = withoutLinkToken(sql`body`, sql`pass_id`);
  // Their order is that of their keys, as for those that already wait.
  const pending = sql`iif(pending is null, null,
    (select coalesce(max(waiting.pending), 0) from ${events} as waiting where waiting.pending is not null) + row_number() over (order by key))`;
  const move = rawStatement(
    ctx.db,
    sql`insert into ${events} (id, account_id, type, template, pass, body, created_at, subscription_id, pending, has_values)
      select id, account_id, type, ${uuidBytes(sql`template_id`)}, ${uuidBytes(sql`pass_id`)}, ${body}, created_at, subscription_id, ${pending}, 1
      from ${earlierEvents} where key in ${page} on conflict do nothing`,
  );
  await runInPages(
    async () => {
      const moved = ctx.db.delete(earlierEvents).where(sql`${earlierEvents.key} in ${page}`);
      return (await ctx.db.batch([move, moved]))[1].meta.changes;
    },
    { enough: PAGE_ROWS },
  );
}

/** A delivered event as stored. */
export type KeptEvent = Pick<
  typeof events.$inferSelect,
  'id' | 'type' | 'body' | 'createdAt' | 'subscriptionId' | 'passId'
>;

/** A row of `eventQuery`; its body is JSON text. */
type EventRow = Omit<KeptEvent, 'body'> & { body: string; linked: string | null };

/** Builds the statement that reads an event of the account, for use in a batch; `linked` is SQL over `events`. */
export function eventQuery(ctx: AccountContext, id: string, linked: SQL) {
  return rawStatement<EventRow>(
    ctx.db,
    sql`select ${events.id}, ${events.type}, ${events.body}, ${events.createdAt} as "createdAt",
      ${events.subscriptionId} as "subscriptionId", ${events.passId} as "passId", ${linked} as linked
      from ${eventsNamed(ctx.account.id, sql`(${id})`)}`,
  );
}
