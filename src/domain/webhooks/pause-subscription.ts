import { and, eq } from 'drizzle-orm';
import { recordAction } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import { getSubscription, isOwnSubscription, requireActive, webhookTarget } from './find-subscription.ts';
import { deliveryJob, type Subscription, webhookSubscriptions } from './table.ts';

/**
 * Pauses deliveries to a subscription until it is resumed. Waiting deliveries end in the background; `recoverEvents`
 * finds them again. A paused one stays as it is. Throws not found, and `conflict` for one that has ended.
 */
export async function pauseSubscription(ctx: AccountContext, id: string): Promise<Subscription> {
  const statements = [
    ctx.db
      .update(webhookSubscriptions)
      .set({ status: 'paused' })
      .where(and(isOwnSubscription(ctx, id), eq(webhookSubscriptions.status, 'active')))
      .returning(),
    recordAction(ctx, { action: 'webhook.pause', target: webhookTarget(ctx, id) }),
  ] as const;
  const [[paused]] = await commit(ctx, statements, ([changed]) =>
    changed.filter(({ targetUrl }) => targetUrl !== null).map(deliveryJob),
  );
  if (paused) return paused;
  const subscription = await getSubscription(ctx, id);
  if (subscription.status === 'ended') requireActive(subscription);
  return subscription;
}
