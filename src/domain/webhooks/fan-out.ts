import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { type Context, noteAccount } from '../context.ts';
import { COMMIT_ORDER, endFanOut, pendingEvents } from '../events/pending-events.ts';
import { events } from '../events/table.ts';
import { CLAIM_BY_EVENT, type EventPush } from '../pushes/event-claim.ts';
import { isSuspended } from '../suspended.ts';
import {
  type ClaimedDelivery,
  type DeliveredRow,
  type DueDeliveries,
  eventColumns,
  LEASE_MS,
  toDeliveredEvent,
} from './claim.ts';
import { countIn } from './payload-counts.ts';
import { type Subscription, webhookDeliveries, webhookPayloads, webhookSubscriptions } from './table.ts';

/**
 * Events per page. With the maximum number of subscriptions of an account, its deliveries are written within a second.
 */
const PAGE_EVENTS = 100;

/** A page of fanned-out events. */
interface FanOutPage extends DueDeliveries {
  /**
   * Push subscriptions that currently fail or whose account is suspended. Their deliveries are due, but belong in a run
   * that delays no others.
   */
  unhealthy: Subscription[];
  /** Pushes of the changes of these events, which the caller holds now. */
  pushes: EventPush[];
}

/**
 * Creates deliveries and stored payloads for the oldest pending events, one per event and subscription. The batch
 * clears the pending mark, so this happens exactly once, in commit order. Deliveries to healthy subscriptions start as
 * claimed. Also takes the pushes that belong to the events. One round trip.
 */
export async function fanOut(ctx: Context, now = Date.now()): Promise<FanOutPage> {
  const leaseUntilAt = now + LEASE_MS;
  const page = pendingEvents(PAGE_EVENTS);
  const asking = sql`(${page}) as event cross join ${webhookSubscriptions} on ${isSubscribedTo(sql`event`)}`;
  const pushes = sql`${asking} and ${webhookSubscriptions.targetUrl} is not null`;
  const due = sql`case when ${webhookSubscriptions.failingSinceAt} is null and not ${isSuspended(webhookSubscriptions.accountId)} then ${leaseUntilAt} else ${now} end`;
  const [rows, made, subscriptions] = await ctx.db.batch([
    rawStatement<DeliveredRow & { accountId: string; claim: string | null }>(
      ctx.db,
      sql`select ${eventColumns}, ${events.accountId} as "accountId", ${CLAIM_BY_EVENT} as claim
        from (${page}) as ${events} order by ${COMMIT_ORDER}`,
    ),
    rawStatement<{ subscription: string; event: string; due: number }>(
      ctx.db,
      sql`insert into ${webhookDeliveries} (subscription_id, event_id, state, next_attempt_at, attempt_count, attempts, created_at)
        select ${webhookSubscriptions.id}, event.id, 'waiting', ${due}, 0, '[]', ${now} from ${pushes} order by event.pending, event.id
        on conflict do nothing returning subscription_id as subscription, event_id as event, next_attempt_at as due`,
    ),
    ctx.db
      .select()
      .from(webhookSubscriptions)
      .where(inArray(webhookSubscriptions.id, sql`(select ${webhookSubscriptions.id} from ${pushes})`)),
    storePayloads(ctx, asking),
    countIn(ctx, asking),
    endFanOut(ctx, page),
  ]);
  const asked = new Set(made.map(({ event }) => event));
  const delivered = rows.filter(({ id }) => asked.has(id));
  const eventOf = new Map(delivered.map((row) => [row.id, toDeliveredEvent(ctx, row)]));
  const subscriptionOf = new Map(subscriptions.map((one) => [one.id, one]));
  const claimed: ClaimedDelivery[] = [];
  const unhealthy = new Set<Subscription>();
  for (const row of made) {
    const [event, subscription] = [eventOf.get(row.event), subscriptionOf.get(row.subscription)];
    if (!subscription) continue;
    if (row.due !== leaseUntilAt || !event) unhealthy.add(subscription);
    else claimed.push({ subscription, event, leaseUntilAt, attemptCount: 0, attempts: [] });
  }
  const held = rows.flatMap(({ accountId, passId, claim }) => (passId && claim ? [{ accountId, passId, claim }] : []));
  for (const accountId of new Set(rows.map((row) => row.accountId))) noteAccount(ctx, accountId);
  return { claimed, unhealthy: [...unhealthy], pushes: held, hasMore: rows.length === PAGE_EVENTS };
}

/** Builds the condition for subscriptions that must get the row `event` of `events`. */
export function isSubscribedTo(event: SQL): SQL {
  const { id, accountId, event: type, status, templateId } = webhookSubscriptions;
  return sql`${accountId} = ${event}.account_id and ${type} = ${event}.type and ${eq(status, 'active')}
    and (${templateId} is null or ${templateId} = ${event}.template_id)
    and (${event}.subscription_id is null or ${event}.subscription_id = ${id})`;
}

/**
 * A UUID version 7 with the time of the event. SQLite randomizes its other bits; the last byte, the shard, is the
 * event's.
 */
const PAYLOAD_ID = sql.raw(
  `substr(event.id, 1, 14) || '7' || substr(lower(hex(randomblob(2))), 2) || '-8' || substr(lower(hex(randomblob(2))), 2)
    || '-' || lower(hex(randomblob(5))) || substr(event.id, -2)`,
);

/**
 * Builds the statement that stores a payload per event and pull subscription in `asking`, a join of `event` and
 * subscriptions, in the order of the events.
 */
function storePayloads(ctx: Context, asking: SQL) {
  return rawStatement(
    ctx.db,
    sql`insert into ${webhookPayloads} (id, account_id, subscription_id, event_id, type, triggered_at)
      select ${PAYLOAD_ID}, event.account_id, ${webhookSubscriptions.id}, event.id, event.type, event.created_at
      from ${asking} and ${webhookSubscriptions.targetUrl} is null order by event.pending, event.id`,
  );
}
