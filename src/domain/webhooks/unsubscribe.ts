import { and, eq, sql } from 'drizzle-orm';
import { recordAction, recordActions } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { scheduleDelivery } from '../schedule-delivery.ts';
import { getSubscription, isOwnSubscription } from './find-subscription.ts';
import { discardPayloads, discardRest } from './purge-payloads.ts';
import { type Subscription, webhookSubscriptions } from './table.ts';

/**
 * Removes every subscription of the account with this target, which must be the text that was used to subscribe. None
 * is no failure: then there is nothing to deliver either.
 */
export async function unsubscribeTarget(ctx: AccountContext, targetUrl: string): Promise<void> {
  const isMeant = and(
    eq(webhookSubscriptions.accountId, ctx.account.id),
    eq(webhookSubscriptions.targetUrl, targetUrl),
  );
  const target = { type: 'webhook', id: sql`${webhookSubscriptions.id}`, name: sql`${webhookSubscriptions.event}` };
  const action = { action: 'webhook.delete', target, from: webhookSubscriptions } as const;
  const [, removed] = await ctx.db.batch([
    recordActions(ctx, webhookSubscriptions.accountId, action, isMeant!),
    ctx.db.delete(webhookSubscriptions).where(isMeant).returning(),
  ]);
  await forget(ctx, removed);
}

/**
 * Removes one subscription, also one in pull mode, whose payloads go with it, and before it: once it is gone, nobody
 * could ask for that again. Throws not found.
 */
export async function deleteSubscription(ctx: AccountContext, id: string): Promise<void> {
  const { targetUrl, event } = await getSubscription(ctx, id);
  const isPull = targetUrl === null;
  if (isPull) await discardPayloads(ctx, id);
  const [removed] = await ctx.db.batch([
    ctx.db.delete(webhookSubscriptions).where(isOwnSubscription(ctx, id)).returning(),
    recordAction(ctx, { action: 'webhook.delete', target: { type: 'webhook', id, name: event } }),
    // Those that came meanwhile are few.
    ...(isPull ? discardRest(ctx, id) : []),
  ]);
  if (removed.length === 0) throw notFound();
  if (!isPull) await forget(ctx, removed);
}

/** Pending deliveries of deleted push subscriptions are removed in the background; none is attempted from now on. */
async function forget(ctx: AccountContext, removed: Subscription[]): Promise<void> {
  await scheduleDelivery(
    ctx,
    removed.map(({ id }) => ({ body: { type: 'deliver-webhooks', subscriptionId: id } })),
  );
}
