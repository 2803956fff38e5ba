import { and, desc, eq, lt } from 'drizzle-orm';
import { UUID_PATTERN } from '../../platform/ids.ts';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import { invalidField, notFound } from '../errors.ts';
import { UUID_HINT } from '../fields.ts';
import { getPushSubscription, ownSubscriptionId, requireActive, webhookTarget } from './manage-subscription.ts';
import { moveStatements } from './move-deliveries.ts';
import { type Delivery, deliveryJob, earlierDeliveries, webhookDeliveries } from './table.ts';

export interface DeliveryPage {
  deliveries: Delivery[];
  /** Whether older deliveries follow. */
  hasMore: boolean;
}

/**
 * Returns deliveries of a push subscription, newest first; `before` is the event of the last one on the previous page.
 * Throws not found.
 */
export async function listDeliveries(
  ctx: AccountContext,
  subscriptionId: string,
  { pageSize, before }: { pageSize: number; before?: string },
): Promise<DeliveryPage> {
  const { id } = await getPushSubscription(ctx, subscriptionId);
  if (before !== undefined && !UUID_PATTERN.test(before)) throw invalidField('before', `${UUID_HINT}`);
  const rows = await ctx.db
    .select()
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.subscriptionId, ownSubscriptionId(ctx, id)),
        before === undefined ? undefined : lt(webhookDeliveries.eventId, before),
      ),
    )
    .orderBy(desc(webhookDeliveries.eventId))
    .limit(pageSize + 1);
  return { deliveries: rows.slice(0, pageSize), hasMore: rows.length > pageSize };
}

/**
 * Schedules another delivery now, whatever its state; with `retryEnabled` its retry schedule restarts. Throws not
 * found, and `conflict` if the subscription isn't active.
 */
export async function resendDelivery(ctx: AccountContext, subscriptionId: string, eventId: string): Promise<void> {
  const subscription = await getPushSubscription(ctx, subscriptionId);
  requireActive(subscription);
  const update = ctx.db
    .update(webhookDeliveries)
    .set({ state: 'waiting', nextAttemptAt: Date.now(), attemptCount: 0 })
    .where(
      and(
        eq(webhookDeliveries.subscriptionId, ownSubscriptionId(ctx, subscriptionId)),
        eq(webhookDeliveries.eventId, eventId),
      ),
    )
    .returning({ eventId: webhookDeliveries.eventId });
  // Includes a delivery of an earlier release that the cron hasn't moved yet.
  const earlier = and(
    eq(earlierDeliveries.subscriptionId, ownSubscriptionId(ctx, subscriptionId)),
    eq(earlierDeliveries.eventId, eventId),
  );
  const changes = [{ field: 'event', new: eventId }];
  const entry = { action: 'webhook.resend', target: webhookTarget(ctx, subscriptionId), changes } as const;
  await enterOnce(ctx, `resend ${subscriptionId} ${eventId}`, async (id) => {
    const statements = [...moveStatements(ctx, earlier!), update, recordAction(ctx, { ...entry, id })] as const;
    const next = (found: unknown[]) => (found.length > 0 ? [deliveryJob(subscription)] : []);
    const [, , resent] = await commit(ctx, statements, ([, , found]) => next(found));
    if (resent.length === 0) throw notFound();
  });
}
