import { and, eq } from 'drizzle-orm';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { scheduleDelivery } from '../schedule-delivery.ts';
import { getSubscription, isOwnSubscription, requireActive, webhookTarget } from './find-subscription.ts';
import { type Subscription, webhookSubscriptions } from './table.ts';

/**
 * Tells a subscription nothing until it is resumed. Deliveries that wait are ended in the background; `recoverEvents`
 * finds them again. A paused one stays as it is. Throws not found, and `conflict` for one that has ended.
 */
export async function pauseSubscription(ctx: AccountContext, id: string): Promise<Subscription> {
  const [[paused]] = await ctx.db.batch([
    ctx.db
      .update(webhookSubscriptions)
      .set({ status: 'paused' })
      .where(and(isOwnSubscription(ctx, id), eq(webhookSubscriptions.status, 'active')))
      .returning(),
    recordAction(ctx, { action: 'webhook.pause', target: webhookTarget(ctx, id) }),
  ]);
  if (paused) {
    if (paused.targetUrl !== null)
      await scheduleDelivery(ctx, [{ body: { type: 'deliver-webhooks', subscriptionId: id } }]);
    return paused;
  }
  const subscription = await getSubscription(ctx, id);
  if (subscription.status === 'ended') requireActive(subscription);
  return subscription;
}
