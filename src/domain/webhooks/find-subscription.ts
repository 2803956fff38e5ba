import { and, asc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { UUID_PATTERN } from '../../platform/ids.ts';
import type { AccountContext, Owner } from '../context.ts';
import { DomainError, invalid, notFound } from '../errors.ts';
import { figures } from './delivery-counts.ts';
import { type Subscription, webhookSubscriptions } from './table.ts';

/** Columns of a subscription with its current figures, for everything that shows them. */
export const subscriptionColumns = {
  ...getTableColumns(webhookSubscriptions),
  delivered: figures.delivered.as('delivered'),
  lastOutcome: figures.lastOutcome.as('last_outcome'),
  lastAttemptAt: figures.lastAttemptAt.as('last_attempt_at'),
  lagMillis: figures.lagMillis.as('lag_millis'),
};

/** Builds the condition for a subscription of the account. */
export function isOwnSubscription(ctx: AccountContext, id: string): SQL | undefined {
  return and(eq(webhookSubscriptions.id, id), eq(webhookSubscriptions.accountId, ctx.account.id));
}

/**
 * Builds the identifier of a subscription of the account, null for a foreign one: deliveries have no account column.
 */
export function ownSubscriptionId(ctx: AccountContext, id: string): SQL {
  return sql`(select ${webhookSubscriptions.id} from ${webhookSubscriptions} where ${isOwnSubscription(ctx, id)})`;
}

/** Returns a subscription as the target of an audit log entry. Leaves out its URL, which may contain secrets. */
export function webhookTarget(ctx: AccountContext, id: string) {
  const event = sql`(select ${webhookSubscriptions.event} from ${webhookSubscriptions} where ${isOwnSubscription(ctx, id)})`;
  return { type: 'webhook', id, name: event };
}

/** Returns all subscriptions of the account, oldest first. */
export function listSubscriptions(owner: Owner) {
  return owner.db
    .select(subscriptionColumns)
    .from(webhookSubscriptions)
    .where(eq(webhookSubscriptions.accountId, owner.account.id))
    .orderBy(asc(webhookSubscriptions.id));
}

/** Returns a subscription of the account; throws not found. */
export async function getSubscription(ctx: AccountContext, id: string): Promise<Subscription> {
  if (!UUID_PATTERN.test(id)) throw notFound();
  const [subscription] = await ctx.db
    .select(subscriptionColumns)
    .from(webhookSubscriptions)
    .where(isOwnSubscription(ctx, id));
  if (!subscription) throw notFound();
  return subscription;
}

/** Returns a push subscription; throws not found, and `invalid` for one in pull mode. */
export async function getPushSubscription(ctx: AccountContext, id: string): Promise<Subscription> {
  const subscription = await getSubscription(ctx, id);
  if (subscription.targetUrl === null) {
    throw invalid('The subscription is in pull mode; fetch its events with GET /api/v3/webhook-payload');
  }
  return subscription;
}

/** Throws `conflict` unless the subscription is active. */
export function requireActive({ status }: Subscription): void {
  if (status === 'paused') throw new DomainError('conflict', 'The subscription is paused; resume it first');
  if (status === 'ended') {
    throw new DomainError('conflict', 'The receiver ended the subscription with status 410; subscribe again');
  }
}
