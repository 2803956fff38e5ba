import { and, eq, sql } from 'drizzle-orm';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction, recordActions } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { addUncounted } from './delivery-counts.ts';
import { getSubscription, isOwnSubscription } from './find-subscription.ts';
import { discardPayloads, discardRest } from './purge-payloads.ts';
import { deliveryJob, webhookSubscriptions } from './table.ts';

/**
 * Removes every subscription of the account with this target, which must be the exact text used to subscribe. No match
 * isn't an error, because nothing is delivered then either.
 */
export async function unsubscribeTarget(ctx: AccountContext, targetUrl: string): Promise<void> {
  const isMeant = and(
    eq(webhookSubscriptions.accountId, ctx.account.id),
    eq(webhookSubscriptions.targetUrl, targetUrl),
  );
  const target = { type: 'webhook', id: sql`${webhookSubscriptions.id}`, name: sql`${webhookSubscriptions.event}` };
  const action = { action: 'webhook.delete', target, from: webhookSubscriptions } as const;
  // Waiting deliveries of the removed subscriptions are deleted in the background.
  const statements = [
    recordActions(ctx, webhookSubscriptions.accountId, action, isMeant!),
    addUncounted(ctx, isMeant!),
    ctx.db.delete(webhookSubscriptions).where(isMeant).returning(),
  ] as const;
  await commit(ctx, statements, ([, , removed]) => removed.map(deliveryJob));
}

/**
 * Removes one push or pull subscription. Pull payloads are deleted before it: once it is gone, the caller couldn't
 * repeat the request. Throws not found.
 */
export async function deleteSubscription(ctx: AccountContext, id: string): Promise<void> {
  await enterOnce(ctx, `delete webhook ${id}`, async (entryId) => {
    const { targetUrl, event } = await getSubscription(ctx, id);
    const isPull = targetUrl === null;
    if (isPull) await discardPayloads(ctx, id);
    const action = { id: entryId, action: 'webhook.delete', target: { type: 'webhook', id, name: event } } as const;
    const statements = [
      addUncounted(ctx, isOwnSubscription(ctx, id)!),
      ctx.db.delete(webhookSubscriptions).where(isOwnSubscription(ctx, id)).returning(),
      recordAction(ctx, action),
      // Only a few payloads arrived meanwhile.
      ...(isPull ? discardRest(ctx, id) : []),
    ] as const;
    const [, removed] = await commit(ctx, statements, ([, gone]) => (isPull ? [] : gone.map(deliveryJob)));
    if (removed.length === 0) throw notFound();
  });
}
