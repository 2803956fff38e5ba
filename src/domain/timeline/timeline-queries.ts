import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { appScans } from '../app-scans/table.ts';
import type { AccountContext } from '../context.ts';
import { earlierEvents } from '../events/table.ts';
import { TOKEN_MARK } from '../events/token-mark.ts';
import { messages } from '../messages/table.ts';
import { ROW_SPAN_MS } from '../pass-facts/append-facts.ts';
import { FACT_RETENTION_MS } from '../pass-facts/purge-facts.ts';
import { passFacts } from '../pass-facts/table.ts';
import { passes } from '../passes/table.ts';
import { pendingPushes } from '../pushes/table.ts';
import { registrations } from '../registrations/table.ts';
import { templates } from '../templates/table.ts';

/** The entry after which a page begins. */
export interface TimelinePlace {
  at: number;
  /** Identifier in its source, or of the fact. */
  key: string;
}

/** A page of a timeline. */
export interface TimelinePage {
  before?: TimelinePlace;
  limit: number;
}

/** A row of a source, which determines what `a`, `b` and `c` are (`rowDetails`). */
export interface SourceRow {
  source: Source;
  key: string;
  at: number;
  a: string | number | null;
  b: string | number | null;
  c: string | number | null;
}

export type Source = 'created' | 'event' | 'published' | 'scan' | 'message' | 'added' | 'removed' | 'push' | 'image';

/** Events show changes only before the first fact: facts say more. Both times of one request are closer than this. */
const EVENT_LEAD_MS = 60_000;

/**
 * Builds the statements that read a page of a pass's timeline except its facts. One per source, because D1 takes five
 * selects in a union. Each reads about `limit` rows by an index. Passes of other accounts have no entries.
 */
export function timelineQueries(ctx: AccountContext, passId: string, { before, limit }: TimelinePage) {
  const mine = sql`account_id = ${ctx.account.id} and pass_id = ${passId}`;
  // The plus keeps the planner from searching by the account.
  const found = sql`pass_id = ${passId} and +account_id = ${ctx.account.id}`;
  const own = sql`${passes.id} = ${passId} and ${passes.accountId} = ${ctx.account.id}`;
  const timeOfFirst = sql.raw(`('[' || facts || ']') ->> '$[0][0]'`);
  const firstFact = sql`(select ${timeOfFirst} from ${passFacts}
    where pass_key = (select ${passes.key} from ${passes} where ${own}) order by began_at limit 1)`;
  const firstCarried = sql`(select min(${timeOfFirst}) from ${pendingPushes} where ${mine})`;
  const isBeforeFacts = sql`created_at < min(coalesce(${firstFact}, 9e15), coalesce(${firstCarried}, 9e15)) - ${EVENT_LEAD_MS}`;
  const system = sql.raw(`iif(saves is null, 'apple', 'google')`);
  const sources: [source: Source, select: SQL][] = [
    // It has the smallest key, because entries of the same moment came after it.
    ['created', sql`select '0' as key, created_at as at, null as a, null as b, null as c from ${passes} where ${own}`],
    [
      'event',
      sql`select id as key, created_at as at, type as a, null as b, null as c from ${earlierEvents}
        where ${found} and type in ('pass_updated', 'pass_voided', 'pass_unvoided') and ${isBeforeFacts}`,
    ],
    [
      'published',
      sql`select 'template' as key, published_at as at, published_version as a, null as b, null as c from ${templates}
        where account_id = ${ctx.account.id} and exists (select 1 from ${passes} where ${own} and template_id = ${templates.id}
          and ${templates.publishedVersion} > ${passes.templateVersion})
        and id = (select template_id from ${passes} where ${own})`,
    ],
    [
      'scan',
      sql`select id as key, created_at as at, reason as a, undone_at is not null as b, device_name as c from ${appScans} where ${found}`,
    ],
    [
      'message',
      sql`select id as key, created_at as at, channel as a, status as b, recipient as c from ${messages} where ${found}`,
    ],
    [
      'added',
      sql`select 'device-' || rowid as key, registered_at as at, ${system} || iif(ended_at is null, ' active', '') as a, device_id as b, pass_type_id as c from ${registrations} where ${found}`,
    ],
    [
      'removed',
      sql`select 'ended-' || rowid as key, ended_at as at, ${system} as a, device_id as b, pass_type_id as c from ${registrations}
        where ${found} and ended_at is not null`,
    ],
    [
      'image',
      sql`select 'image-' || error.key as key, error.value ->> 'at' as at, error.value ->> 'field' as a, error.value ->> 'message' as b, null as c
        from ${passes}, json_each(${passes.appearance}, '$.importErrors') as error where ${own}`,
    ],
    [
      'push',
      sql`select 'push-' || wallet as key, requested_at as at, wallet as a, attempts as b, replace(text, ${TOKEN_MARK}, '…') as c from ${pendingPushes}
        where ${mine} and wallet in ('apple', 'google')`,
    ],
  ];
  const behind = before ? sql`where at <= ${before.at} and (at, key) < (${before.at}, ${before.key})` : sql``;
  return sources.map(([source, select]) =>
    rawStatement<SourceRow>(
      ctx.db,
      sql`select ${sql.raw(`'${source}'`)} as source, * from (${select}) ${behind} order by at desc, key desc limit ${limit}`,
    ),
  );
}

/** Facts of a pass, in a row of facts or in a waiting push. */
export interface FactsRow {
  facts: string;
}

/**
 * Builds the statements that read the facts of a page: those in waiting pushes, and rows from the newest on. Each row
 * has a fact of its own time or later, so `limit` rows are enough, and one on either side: a fact from a push may be
 * stored one row too high.
 */
export function factQueries(ctx: AccountContext, passId: string, { before, limit }: TimelinePage) {
  const own = sql`${passes.id} = ${passId} and ${passes.accountId} = ${ctx.account.id}`;
  const rows = (condition: SQL, order: SQL, count: number) =>
    sql`select facts from ${passFacts} where pass_key = (select ${passes.key} from ${passes} where ${own})
      and began_at > ${Date.now() - FACT_RETENTION_MS - ROW_SPAN_MS} and ${condition} order by began_at ${order} limit ${count}`;
  return [
    rawStatement<FactsRow>(
      ctx.db,
      sql`select facts from ${pendingPushes} where account_id = ${ctx.account.id} and pass_id = ${passId} and facts is not null`,
    ),
    rawStatement<FactsRow>(ctx.db, rows(before ? sql`began_at <= ${before.at}` : sql`true`, sql`desc`, limit + 1)),
    rawStatement<FactsRow>(ctx.db, rows(before ? sql`began_at > ${before.at}` : sql`false`, sql`asc`, 1)),
  ];
}
