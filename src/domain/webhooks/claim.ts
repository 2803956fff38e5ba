import { and, eq, inArray, isNotNull, not, type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Context } from '../context.ts';
import { earlierEventsNamed } from '../events/earlier-events.ts';
import { events } from '../events/table.ts';
import { completeBody, type LinkedEvent, linkedPass } from '../passes/pass-event.ts';
import { isSuspended } from '../suspended.ts';
import { type Attempt, type Subscription, webhookDeliveries, webhookSubscriptions } from './table.ts';

/**
 * Lease of a run on a claimed delivery. A run starts no attempt after RUN_MS_MAX, and its last attempts end ten seconds
 * later. A delivery that is still claimed when the lease ends belongs to a dead run, and is due again.
 */
export const LEASE_MS = 30_000;

/** An event in the form that is delivered. */
export interface DeliveredEvent {
  id: string;
  type: string;
  /** JSON text. */
  body: string;
  createdAt: number;
}

/** A delivery claimed by this run, and no other. */
export interface ClaimedDelivery {
  subscription: Subscription;
  event: DeliveredEvent;
  /** The lease: the `nextAttemptAt` value that this run set. */
  leaseUntilAt: number;
  attemptCount: number;
  attempts: Attempt[];
}

/** Due deliveries of a subscription. */
export interface DueDeliveries {
  claimed: ClaimedDelivery[];
  /** Whether there may be more due deliveries. */
  hasMore: boolean;
}

/** An event as selected by `eventColumns`. */
export type DeliveredRow = DeliveredEvent & LinkedEvent;

/** Columns of events for a `DeliveredRow`. */
export const eventColumns: SQL = sql`${events.id} as id, ${events.type} as type, ${events.body} as body, ${events.createdAt} as "createdAt",
  ${events.passId} as "passId", ${linkedPass} as linked`;

/** Returns the event in the form that is delivered, with its complete link. */
export function toDeliveredEvent(ctx: Context, row: DeliveredRow): DeliveredEvent {
  const { id, type, createdAt } = row;
  return { id, type, createdAt, body: completeBody(ctx, row) };
}

/** Maximum number of deliveries per claim for a healthy receiver. */
const CLAIMED_MAX = 50;

/**
 * Claims a subscription's due deliveries, oldest first: fifty, or `limitWhileFailing` while its receiver fails. One
 * statement claims them, so each goes to only one caller. Ends deliveries of deleted, paused or ended subscriptions;
 * those of suspended accounts wait. One round trip.
 */
export async function claimDue(
  ctx: Context,
  named: NamedSubscription,
  limitWhileFailing: number,
  now = Date.now(),
): Promise<DueDeliveries> {
  const subscriptionId = named.id;
  const limitFailing = Math.min(limitWhileFailing, CLAIMED_MAX);
  const isFailing = sql`(select ${webhookSubscriptions.failingSinceAt} is not null from ${webhookSubscriptions}
    where ${isSubscription(named)})`;
  const leaseUntilAt = now + LEASE_MS;
  const ofSubscription = eq(webhookDeliveries.subscriptionId, subscriptionId);
  const due = sql`(select event_id from ${webhookDeliveries} where ${ofSubscription} and ${webhookDeliveries.nextAttemptAt} <= ${now}
    order by ${webhookDeliveries.nextAttemptAt} limit iif(${isFailing}, ${limitFailing}, ${CLAIMED_MAX}))`;
  const claimedNow = sql`(select event_id from ${webhookDeliveries}
    where ${ofSubscription} and ${webhookDeliveries.nextAttemptAt} = ${leaseUntilAt})`;
  const [claimed, rows, [subscription]] = await ctx.db.batch([
    ctx.db
      .update(webhookDeliveries)
      .set({ nextAttemptAt: leaseUntilAt })
      .where(
        and(
          ofSubscription,
          inArray(webhookDeliveries.eventId, due),
          isActive(named),
          not(isSuspended(named.accountId)),
        ),
      )
      .returning({
        eventId: webhookDeliveries.eventId,
        attemptCount: webhookDeliveries.attemptCount,
        attempts: webhookDeliveries.attempts,
      }),
    rawStatement<DeliveredRow>(
      ctx.db,
      sql`select ${eventColumns} from ${events} where account_id = ${named.accountId} and id in ${claimedNow}`,
    ),
    ctx.db.select().from(webhookSubscriptions).where(isSubscription(named)),
  ]);
  if (subscription?.status !== 'active') {
    return { claimed: [], hasMore: await endDeliveries(ctx, named, subscription === undefined) };
  }
  const eventOf = new Map(rows.map((row) => [row.id, toDeliveredEvent(ctx, row)]));
  const missing = claimed.map(({ eventId }) => eventId).filter((eventId) => !eventOf.has(eventId));
  if (missing.length > 0) {
    const earlier = await earlierRows(ctx, named.accountId, missing);
    for (const row of earlier) eventOf.set(row.id, toDeliveredEvent(ctx, row));
  }
  const expired = missing.filter((eventId) => !eventOf.has(eventId));
  const list = claimed.flatMap(({ eventId, ...row }) => {
    const event = eventOf.get(eventId);
    return event ? [{ subscription, event, leaseUntilAt, ...row }] : [];
  });
  if (expired.length > 0) await failExpired(ctx, subscriptionId, expired);
  return {
    claimed: list,
    hasMore: claimed.length >= (subscription.failingSinceAt === null ? CLAIMED_MAX : limitFailing),
  };
}

/** Reads events that a release before 0.2.0 stored. */
function earlierRows(ctx: Context, accountId: string, ids: string[]) {
  const named = sql`(select value from json_each(${JSON.stringify(ids)}))`;
  return rawStatement<DeliveredRow>(ctx.db, sql`select ${eventColumns} from ${earlierEventsNamed(accountId, named)}`);
}

/**
 * Ends deliveries whose event was deleted: a recovery or a resend may request an event shortly before. Otherwise each
 * of them would be claimed again forever.
 */
async function failExpired(ctx: Context, subscriptionId: string, eventIds: string[]): Promise<void> {
  const those = sql`${webhookDeliveries.eventId} in (select value from json_each(${JSON.stringify(eventIds)}))`;
  await ctx.db
    .update(webhookDeliveries)
    .set({ state: 'failed', nextAttemptAt: null })
    .where(and(eq(webhookDeliveries.subscriptionId, subscriptionId), those));
}

/** A subscription of an account. */
export type NamedSubscription = Pick<Subscription, 'id' | 'accountId'>;

function isSubscription({ id, accountId }: NamedSubscription): SQL {
  return and(eq(webhookSubscriptions.id, id), eq(webhookSubscriptions.accountId, accountId))!;
}

function isActive(named: NamedSubscription): SQL {
  const { status } = webhookSubscriptions;
  return sql`exists (select 1 from ${webhookSubscriptions} where ${isSubscription(named)} and ${eq(status, 'active')})`;
}

const ENDED_ROWS_MAX = 500;

/**
 * Ends the next open deliveries of an inactive subscription, or deletes them if it is gone; a recovery finds them
 * again. Returns whether there may be more.
 */
async function endDeliveries(ctx: Context, named: NamedSubscription, isGone: boolean): Promise<boolean> {
  const subscriptionId = named.id;
  const isOpen = and(eq(webhookDeliveries.subscriptionId, subscriptionId), isNotNull(webhookDeliveries.nextAttemptAt));
  const open = sql`(select event_id from ${webhookDeliveries} where ${isOpen} limit ${ENDED_ROWS_MAX})`;
  const those = and(eq(webhookDeliveries.subscriptionId, subscriptionId), inArray(webhookDeliveries.eventId, open));
  const returned = { eventId: webhookDeliveries.eventId };
  const ended = isGone
    ? await ctx.db.delete(webhookDeliveries).where(those).returning(returned)
    : await ctx.db
        .update(webhookDeliveries)
        .set({ state: 'failed', nextAttemptAt: null })
        .where(and(those, sql`not ${isActive(named)}`))
        .returning(returned);
  return ended.length === ENDED_ROWS_MAX;
}
