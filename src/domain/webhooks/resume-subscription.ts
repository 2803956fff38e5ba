import { and, eq } from 'drizzle-orm';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import {
  getSubscription,
  isOwnSubscription,
  requireActive,
  subscriptionColumns,
  webhookTarget,
} from './find-subscription.ts';
import { type Subscription, webhookSubscriptions } from './table.ts';

/**
 * Resumes deliveries to a paused subscription; `recoverEvents` delivers the events it missed. An active one
 * stays as it is. Throws not found, and `conflict` for one that has ended.
 */
export async function resumeSubscription(ctx: AccountContext, id: string): Promise<Subscription> {
  const [[resumed]] = await ctx.db.batch([
    ctx.db
      .update(webhookSubscriptions)
      .set({ status: 'active', failingSinceAt: null, notifyOwnerAt: null })
      .where(and(isOwnSubscription(ctx, id), eq(webhookSubscriptions.status, 'paused')))
      .returning(subscriptionColumns),
    recordAction(ctx, { action: 'webhook.resume', target: webhookTarget(ctx, id) }),
  ]);
  if (resumed) return resumed;
  const subscription = await getSubscription(ctx, id);
  requireActive(subscription);
  return subscription;
}
