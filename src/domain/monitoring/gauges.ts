import { type SQL, sql } from 'drizzle-orm';
import type { BatchResponse } from 'drizzle-orm/batch';
import { rawStatement } from '../../platform/raw-statement.ts';
import { accounts } from '../accounts/table.ts';
import type { Context } from '../context.ts';
import { deadLetters } from '../dead-letters/table.ts';
import { IS_PENDING } from '../events/pending-events.ts';
import { events } from '../events/table.ts';
import { messages } from '../messages/table.ts';
import { livesHere } from '../moved.ts';
import { IMAGES_DUE_AT, passes } from '../passes/table.ts';
import { processes } from '../processes/table.ts';
import { ACCOUNT_OF_PAGE } from '../pushes/claim-page.ts';
import { pendingPushes, pushPages } from '../pushes/table.ts';
import { DIRECTORY } from '../shard-map.ts';
import { countedEvents } from '../statistics/table.ts';
import { isSuspended } from '../suspended.ts';
import { webhookDeliveries, webhookSubscriptions } from '../webhooks/table.ts';
import {
  countEnding,
  type EndingCertificate,
  type EndingCounts,
  endingCertificates,
  firstListed,
  toEnding,
} from './ending-certificates.ts';

/*
 * Measures the whole service. Each statement reads a limited number of rows, however large its table is, so that
 * measuring stays cheap when the service is busy.
 */

/** Limit of counted rows per kind. Beyond it, `hasMore` says that there are more. */
export const COUNTED_MAX = 10_000;
/** Webhooks with open deliveries to check, and rows of a list. */
const SUBSCRIPTIONS_MAX = 1_000;
export const LISTED_MAX = 20;
const HOUR_MS = 3_600_000;

/** Kinds of work that wait in tables, in display order. */
export const BACKLOGS = ['pushes', 'pushPages', 'messages', 'events', 'deliveries', 'images', 'processes'] as const;
export type BacklogName = (typeof BACKLOGS)[number];

/** Waiting rows of one kind. */
export interface Backlog {
  /** At most `COUNTED_MAX`. */
  waiting: number;
  /** Whether there are more. */
  hasMore: boolean;
  /** Milliseconds that the oldest has waited, or a process has been silent; null: none is due. */
  oldestMs: number | null;
}

export interface FailingEndpoint {
  subscriptionId: string;
  accountId: string;
  accountName: string;
  event: string;
  /** Origin of the endpoint URL: the rest may be a secret. */
  origin: string;
  failingSince: number;
  lastOutcome: string | null;
}

/** The state of the service at a time. Times are UTC milliseconds. */
export interface Measurement {
  at: number;
  backlog: Record<BacklogName, Backlog>;
  /** How late events reach healthy webhooks. */
  webhookLagMs: number;
  failedJobs: Backlog & { lastHour: number };
  failingEndpoints: { count: number; hasMore: boolean; longest: FailingEndpoint[] };
  /** Certificates in use that expire next, at most `LISTED_MAX`, the first to expire first. */
  certificates: EndingCertificate[];
  /** Undefined in a measurement that an earlier release stored. */
  ending?: EndingCounts;
  /** Size of the largest database. */
  databaseBytes: number;
  /** Size of each database, by name. */
  bytesOf: Record<string, number>;
  /** Passes and events ever stored: the highest key of a pass, and the counted events. */
  passesEver: number;
  eventsEver: number;
}

interface CountRow {
  looked: number;
  waiting: number;
  since: number | null;
}

/**
 * Returns SQL that counts the rows of a query with columns `account` and `since`, except those of suspended accounts,
 * which wait on purpose. Rows come in table order, for pushes that of their passes. If not all are counted, the age is
 * that of the oldest one counted.
 */
function counted(rows: SQL): SQL {
  const waits = sql`not ${isSuspended(sql`one.account`)}`;
  return sql`select count(*) as looked, count(*) filter (where ${waits}) as waiting, min(since) filter (where ${waits}) as since
    from (${rows} limit ${COUNTED_MAX + 1}) as one`;
}

const backlogRows: Record<BacklogName, SQL> = {
  pushes: sql`select ${pendingPushes.accountId} as account, ${pendingPushes.requestedAt} as since from ${pendingPushes}`,
  pushPages: sql`select ${ACCOUNT_OF_PAGE} as account, ${pushPages.requestedAt} as since from ${pushPages}`,
  messages: sql`select ${messages.accountId} as account, ${messages.createdAt} as since from ${messages}
    where ${messages.dueAt} is not null`,
  events: sql`select ${events.accountId} as account, ${events.createdAt} as since from ${events}
    where ${IS_PENDING}`,
  // Most wait for their retry. `webhookLagMs` says how late the others are.
  deliveries: sql`select null as account, null as since from ${webhookDeliveries}
    where ${webhookDeliveries.nextAttemptAt} is not null`,
  images: sql`select null as account, ${IMAGES_DUE_AT} as since from ${passes}
    where ${IMAGES_DUE_AT} is not null and ${livesHere(passes.accountId)}`,
  processes: sql`select ${processes.accountId} as account, ${processes.mirroredAt} as since from ${processes}
    where ${processes.finishedAt} is null`,
};

/** Finds when the most overdue delivery to a healthy receiver was due, by jumps in the index. */
function dueDeliveries(ctx: Context) {
  const { subscriptionId, nextAttemptAt } = webhookDeliveries;
  const next = (after: SQL) => sql`(select ${subscriptionId} from ${webhookDeliveries}
    where ${nextAttemptAt} is not null and ${subscriptionId} > ${after} order by ${subscriptionId} limit 1)`;
  const { id, accountId, failingSinceAt, status } = webhookSubscriptions;
  return rawStatement<{ since: number | null }>(
    ctx.db,
    sql`with recursive waiting(id) as (
        select ${next(sql`''`)} union all select ${next(sql`waiting.id`)} from waiting where waiting.id is not null
        limit ${SUBSCRIPTIONS_MAX})
      select min((select min(${nextAttemptAt}) from ${webhookDeliveries}
        where ${subscriptionId} = waiting.id and ${nextAttemptAt} is not null)) as since
      from waiting cross join ${webhookSubscriptions} on ${id} = waiting.id
      where ${failingSinceAt} is null and ${status} = 'active' and not ${isSuspended(accountId)}`,
  );
}

const nameOf = (accountId: SQL) => sql`(select name from ${accounts} where ${accounts.id} = ${accountId})`;

/** Repeats the condition of the index, which holds failing webhooks only. */
const IS_FAILING = sql`failing_since_at is not null and status = 'active'`;

function failingEndpoints(ctx: Context) {
  return rawStatement<Omit<FailingEndpoint, 'origin'> & { targetUrl: string }>(
    ctx.db,
    sql`select id as "subscriptionId", account_id as "accountId", ${nameOf(sql`account_id`)} as "accountName", event,
        target_url as "targetUrl", failing_since_at as "failingSince", last_outcome as "lastOutcome"
      from ${webhookSubscriptions} where ${IS_FAILING} order by failing_since_at limit ${LISTED_MAX}`,
  );
}

/** Builds the statements that measure, for one batch; `measurementOf` reads their results. */
export function gaugeStatements(ctx: Context, now: number) {
  const count = (rows: SQL) => rawStatement<CountRow>(ctx.db, counted(rows));
  return [
    dueDeliveries(ctx),
    rawStatement<{ looked: number; since: number | null; lastHour: number }>(
      ctx.db,
      sql`select count(*) as looked, min(failed_at) as since, count(*) filter (where failed_at > ${now - HOUR_MS}) as "lastHour"
        from (select failed_at from ${deadLetters} order by failed_at desc limit ${COUNTED_MAX + 1})`,
    ),
    rawStatement<{ looked: number }>(
      ctx.db,
      sql`select count(*) as looked from (select 1 from ${webhookSubscriptions} where ${IS_FAILING} limit ${SUBSCRIPTIONS_MAX + 1})`,
    ),
    failingEndpoints(ctx),
    endingCertificates(ctx, LISTED_MAX, firstListed(now)),
    rawStatement<{ passes: number; events: number }>(
      ctx.db,
      sql`select coalesce((select max(key) from ${passes}), 0) as passes, coalesce((select total from ${countedEvents}), 0) as events`,
    ),
    ...BACKLOGS.map((name) => count(backlogRows[name])),
  ] as const;
}

type GaugeResults = BatchResponse<ReturnType<typeof gaugeStatements>>;

/** Converts the results of `gaugeStatements`. */
export async function measurementOf(ctx: Context, results: GaugeResults, now: number): Promise<Measurement> {
  const [[due], [letters], [failing], longest, ending, [keys], ...counts] = results;
  const backlog = Object.fromEntries(
    BACKLOGS.map((name, i) => [name, backlogOf(counts[i]![0]!, now)]),
  ) as Measurement['backlog'];
  const failed = letters!;
  const certificates = ending.map(toEnding);
  const bytes = ctx.meter.databaseBytes ?? 0;
  return {
    at: now,
    backlog,
    webhookLagMs: Math.max(backlog.events.oldestMs ?? 0, ageOf(due?.since ?? null, now) ?? 0),
    failedJobs: { ...backlogOf({ ...failed, waiting: failed.looked }, now), lastHour: failed.lastHour },
    failingEndpoints: {
      count: Math.min(failing!.looked, SUBSCRIPTIONS_MAX),
      hasMore: failing!.looked > SUBSCRIPTIONS_MAX,
      longest: longest.map(({ targetUrl, ...endpoint }) => ({ ...endpoint, origin: originOf(targetUrl) })),
    },
    certificates,
    ending: await countEnding(ctx, certificates, LISTED_MAX, now),
    databaseBytes: bytes,
    bytesOf: { [ctx.database ?? DIRECTORY]: bytes },
    passesEver: keys!.passes,
    eventsEver: keys!.events,
  };
}

function backlogOf({ looked, waiting, since }: CountRow, now: number): Backlog {
  return { waiting: Math.min(waiting, COUNTED_MAX), hasMore: looked > COUNTED_MAX, oldestMs: ageOf(since, now) };
}

function ageOf(since: number | null, now: number): number | null {
  return since === null || since > now ? null : now - since;
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '…';
}
