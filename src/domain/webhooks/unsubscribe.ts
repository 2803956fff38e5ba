import { and, eq } from 'drizzle-orm';
import { UUID_PATTERN } from '../../platform/ids.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { wakeUp } from '../wake-up.ts';
import { isOwnSubscription } from './find-subscription.ts';
import { discardPayloads } from './purge-payloads.ts';
import { type Subscription, webhookSubscriptions } from './table.ts';

/** Removes every subscription of the account with this target, which must be the text that was used to subscribe. None is no failure: then there is nothing to tell either. */
export async function unsubscribeTarget(ctx: AccountContext, targetUrl: string): Promise<void> {
  const isMeant = and(
    eq(webhookSubscriptions.accountId, ctx.account.id),
    eq(webhookSubscriptions.targetUrl, targetUrl),
  );
  await forget(ctx, await ctx.db.delete(webhookSubscriptions).where(isMeant).returning());
}

/** Removes one subscription, also one in pull mode, whose payloads go with it. Throws not found. */
export async function deleteSubscription(ctx: AccountContext, id: string): Promise<void> {
  if (!UUID_PATTERN.test(id)) throw notFound();
  const removed = await ctx.db.delete(webhookSubscriptions).where(isOwnSubscription(ctx, id)).returning();
  if (removed.length === 0) throw notFound();
  await forget(ctx, removed);
}

/** What waits for subscriptions that are gone is removed in the background; nobody is told of it from now on. */
async function forget(ctx: AccountContext, removed: Subscription[]): Promise<void> {
  const pushes = removed.filter(({ targetUrl }) => targetUrl !== null);
  await wakeUp(
    ctx,
    pushes.map(({ id }) => ({ body: { type: 'deliver-webhooks', subscriptionId: id } })),
  );
  for (const { id, targetUrl } of removed) if (targetUrl === null) await discardPayloads(ctx, id);
}
