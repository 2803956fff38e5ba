import { and, asc, desc, eq, gt, isNotNull, lt, or, type SQL, sql } from 'drizzle-orm';
import { UUID_PATTERN } from '../../platform/ids.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { eventQuery, type KeptEvent } from '../events/earlier-events.ts';
import { completeMembers, linkedPass } from '../passes/pass-event.ts';
import { templates } from '../templates/table.ts';
import { isOwnSubscription, ownSubscriptionId, subscriptionColumns } from './manage-subscription.ts';
import {
  type Delivery,
  type Subscription,
  webhookDeliveries,
  webhookPayloadCounts,
  webhookSubscriptions,
} from './table.ts';

/* Console pages of subscriptions: each function is one round trip. */

export interface ShownSubscription extends Subscription {
  /** Null: all templates, or a deleted one. */
  templateName: string | null;
  /** In pull mode: number of unacknowledged payloads. */
  openPayloads: number;
}

const shownColumns = {
  ...subscriptionColumns,
  templateName: templates.name,
  openPayloads: sql<number>`coalesce(${webhookPayloadCounts.open}, 0)`,
};

function shownQuery(ctx: AccountContext) {
  const { id, accountId, templateId } = webhookSubscriptions;
  return ctx.db
    .select(shownColumns)
    .from(webhookSubscriptions)
    .leftJoin(templates, and(eq(templates.id, templateId), eq(templates.accountId, accountId)))
    .leftJoin(webhookPayloadCounts, eq(webhookPayloadCounts.subscriptionId, id));
}

/** Returns the account's subscriptions, newest first; `beforeId` is the last one of the previous page. */
export async function listShownSubscriptions(
  ctx: AccountContext,
  { limit, beforeId }: { limit: number; beforeId?: string },
): Promise<ShownSubscription[]> {
  const mine = eq(webhookSubscriptions.accountId, ctx.account.id);
  return shownQuery(ctx)
    .where(beforeId === undefined ? mine : and(mine, lt(webhookSubscriptions.id, beforeId)))
    .orderBy(desc(webhookSubscriptions.id))
    .limit(limit);
}

/** Filter of deliveries: all or failed, newest first, or waiting, the next due first. */
export type DeliveryFilter = 'all' | 'failed' | 'waiting';

export interface SubscriptionDeliveries {
  subscription: ShownSubscription;
  deliveries: Delivery[];
  /** Start of the next page, for `after`; absent on the last one. */
  next?: string;
}

/** Returns a subscription with a page of its deliveries. Throws not found. */
export async function getSubscriptionDeliveries(
  ctx: AccountContext,
  id: string,
  { filter, after, limit }: { filter: DeliveryFilter; after?: string; limit: number },
): Promise<SubscriptionDeliveries> {
  if (!UUID_PATTERN.test(id)) throw notFound();
  const { subscriptionId, eventId, nextAttemptAt } = webhookDeliveries;
  const [[subscription], rows] = await ctx.db.batch([
    shownQuery(ctx).where(isOwnSubscription(ctx, id)),
    ctx.db
      .select()
      .from(webhookDeliveries)
      .where(and(eq(subscriptionId, ownSubscriptionId(ctx, id)), filterOf(filter), isAfter(filter, after)))
      .orderBy(...(filter === 'waiting' ? [asc(nextAttemptAt), asc(eventId)] : [desc(eventId)]))
      .limit(limit + 1),
  ]);
  if (!subscription) throw notFound();
  const deliveries = rows.slice(0, limit);
  const last = deliveries.at(-1);
  if (rows.length <= limit || !last) return { subscription, deliveries };
  return {
    subscription,
    deliveries,
    next: filter === 'waiting' ? `${last.nextAttemptAt}.${last.eventId}` : last.eventId,
  };
}

/** Repeats the conditions of the partial indexes, so that each list uses its own. */
function filterOf(filter: DeliveryFilter): SQL | undefined {
  if (filter === 'waiting') return isNotNull(webhookDeliveries.nextAttemptAt);
  return filter === 'failed' ? sql`${webhookDeliveries.state} = 'failed'` : undefined;
}

const WAITING_PLACE = /^(\d{1,15})\.([0-9a-f-]{36})$/;

/** Builds the condition for deliveries after a place in the list; an invalid place restarts the list. */
function isAfter(filter: DeliveryFilter, after = ''): SQL | undefined {
  const { eventId, nextAttemptAt } = webhookDeliveries;
  if (filter !== 'waiting') return UUID_PATTERN.test(after) ? lt(eventId, after) : undefined;
  const [, at, id] = WAITING_PLACE.exec(after) ?? [];
  if (at === undefined || id === undefined) return undefined;
  return and(sql`${nextAttemptAt} >= ${Number(at)}`, or(gt(nextAttemptAt, Number(at)), gt(eventId, id)));
}

export interface ShownDelivery {
  subscription: ShownSubscription;
  event: KeptEvent;
  /** Absent until the event, such as a test, is fanned out. */
  delivery?: Delivery;
}

/**
 * Returns an event for a subscription and its delivery. Throws not found, including for an event that belongs to
 * neither.
 */
export async function getDelivery(ctx: AccountContext, id: string, eventId: string): Promise<ShownDelivery> {
  if (!UUID_PATTERN.test(id) || !UUID_PATTERN.test(eventId)) throw notFound();
  const [[subscription], [delivery], [event]] = await ctx.db.batch([
    shownQuery(ctx).where(isOwnSubscription(ctx, id)),
    ctx.db
      .select()
      .from(webhookDeliveries)
      .where(
        and(eq(webhookDeliveries.subscriptionId, ownSubscriptionId(ctx, id)), eq(webhookDeliveries.eventId, eventId)),
      ),
    eventQuery(ctx, eventId, linkedPass),
  ]);
  if (!subscription || !event || (!delivery && event.subscriptionId !== id)) throw notFound();
  const body = completeMembers(ctx, { ...event, body: JSON.parse(event.body) });
  return { subscription, event: { ...event, body }, delivery };
}
