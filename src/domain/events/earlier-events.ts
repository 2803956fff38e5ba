import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { OLD_TOKEN_CHARS as TOKEN_CHARS } from '../../platform/shard-tokens.ts';
import { uuidBytes } from '../../platform/uuid-bytes.ts';
import type { AccountContext, Context } from '../context.ts';
import { isNotCopy } from '../moved.ts';
import { PAGE_ROWS, runInPages } from '../purge.ts';
import { earlierEvents, events } from './table.ts';
import { TOKEN_MARK } from './token-mark.ts';

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

const PAGE_EVENTS = 500;

const linkIn = (body: SQL) => sql`(${body} ->> '$.linkToPassPage')`;
const hasToken = (body: SQL) => sql`${linkIn(body)} like ${`%/p/${'_'.repeat(TOKEN_CHARS)}`}`;

/** Builds the SQL of the body of an event of a release before 0.2.0 without the token of its link. */
function withoutLinkToken(body: SQL, passId: SQL): SQL {
  const link = linkIn(body);
  const shortened = sql`substr(${link}, 1, length(${link}) - ${sql.raw(String(TOKEN_CHARS))})`;
  return sql`iif(${passId} is not null and ${hasToken(body)}, json_set(${body}, '$.linkToPassPage', ${shortened}), ${body})`;
}

/**
 * Removes the link tokens from the bodies of the next stored events after the key `after`; sending an event completes
 * its link. Returns the key to continue after, or null at the end. One round trip.
 */
export async function removeLinkTokens(ctx: Context, after: number): Promise<number | null> {
  const page = sql`(select key from ${earlierEvents} where key > ${after} order by key limit ${PAGE_EVENTS})`;
  const [, [seen]] = await ctx.db.batch([
    ctx.db
      .update(earlierEvents)
      .set({ body: withoutLinkToken(sql`${earlierEvents.body}`, sql`${earlierEvents.passId}`) })
      .where(
        sql`${earlierEvents.key} in ${page} and ${earlierEvents.passId} is not null and ${hasToken(sql`${earlierEvents.body}`)}`,
      ),
    rawStatement<{ last: number | null; rows: number }>(
      ctx.db,
      sql`select max(key) as last, count(*) as rows from ${page}`,
    ),
  ]);
  return seen!.rows < PAGE_EVENTS ? null : seen!.last;
}

/**
 * Builds the statement that removes tokens from the subjects in message events; `tokens` is SQL for a table of
 * `pass_id` and `token`.
 */
export function hideTokensInMessageEvents(ctx: Context, tokens: SQL) {
  const subject = sql`(${earlierEvents.body} ->> '$.subject')`;
  return ctx.db
    .update(earlierEvents)
    .set({ body: sql`json_set(${earlierEvents.body}, '$.subject', replace(${subject}, hidden.token, ${TOKEN_MARK}))` })
    .from(sql`${tokens} as hidden`)
    .where(
      sql`${earlierEvents.passId} = hidden.pass_id and ${earlierEvents.type} in ('message_sent', 'message_failed')
        and instr(${subject}, hidden.token) > 0`,
    );
}
