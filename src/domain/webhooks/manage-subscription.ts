import { and, asc, eq, getTableColumns, not, type SQL, sql } from 'drizzle-orm';
import { UUID_PATTERN } from '../../platform/ids.ts';
import { enterOnce } from '../audit/enter-once.ts';
import { findEntry, isEntered, recordAction, recordActions } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { AccountContext, Owner } from '../context.ts';
import { DomainError, invalid, notFound } from '../errors.ts';
import { EVENTS } from '../events/catalog.ts';
import { findEvent, recordEvent } from '../events/record-event.ts';
import { enforceRateLimit } from '../rate-limits.ts';
import { newId, writeOnce } from '../write-once.ts';
import { addUncounted, figures } from './delivery-counts.ts';
import { discardPayloads, discardRest } from './payload-counts.ts';
import { newSecret, seal, unseal } from './secrets.ts';
import { deliveryJob, type Subscription, webhookSubscriptions } from './table.ts';

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

/** Time for which the previous secret stays valid after a rotation: a day. */
const SECRET_OVERLAP_MS = 24 * 3_600_000;

interface RotatedSecret {
  secret: string;
  /** The previous secret also signs until this time, UTC milliseconds. */
  previousUntilAt: number;
}

/**
 * Rotates the secret of a subscription. For a day, deliveries carry a signature of each secret, so the receiver can
 * switch at any time. Throws not found, and `invalid` in pull mode.
 */
export async function rotateSecret(ctx: AccountContext, id: string): Promise<RotatedSecret> {
  await getPushSubscription(ctx, id);
  const secret = newSecret();
  const previousUntilAt = Date.now() + SECRET_OVERLAP_MS;
  const entryId = newId(ctx, 'rotation-entry');
  const sealed = await seal(ctx.env, id, secret);
  // The entry is written after the update and prevents a second rotation with the same key, which would end the secret
  // that receivers still use.
  const update = () =>
    ctx.db
      .update(webhookSubscriptions)
      .set({
        secretSealed: sealed,
        previousSecretSealed: sql`${webhookSubscriptions.secretSealed}`,
        previousSecretUntilAt: previousUntilAt,
      })
      .where(and(isOwnSubscription(ctx, id), not(isEntered(ctx, entryId))))
      .returning({ id: webhookSubscriptions.id });
  const action = { id: entryId, action: 'webhook.rotate_secret', target: webhookTarget(ctx, id) } as const;
  const find = async () => ((await findEntry(ctx, entryId)) ? shownSecret(ctx, id) : undefined);
  return writeOnce(ctx, find, async () => {
    const [rotated] = await ctx.db.batch([update(), recordAction(ctx, action)]);
    if (rotated.length > 0) return { secret, previousUntilAt };
    const done = await find();
    if (!done) throw notFound();
    return done;
  });
}

async function shownSecret(ctx: AccountContext, id: string): Promise<RotatedSecret> {
  const { secretSealed, previousSecretUntilAt } = await getPushSubscription(ctx, id);
  return { secret: unseal(ctx.env, id, secretSealed), previousUntilAt: previousSecretUntilAt ?? Date.now() };
}

/**
 * Sends the example event of its type to one subscription, through the regular delivery. Returns the identifier of
 * event and delivery. Throws not found, `conflict` if it isn't active, and too many requests beyond ten a minute.
 */
export async function testSubscription(ctx: AccountContext, id: string): Promise<string> {
  const subscription = await getSubscription(ctx, id);
  requireActive(subscription);
  await enforceRateLimit(ctx.env, 'webhook-test', id);
  const eventId = newId(ctx, 'test-event');
  const { event, templateId } = subscription;
  const test = async () => {
    const tested = recordEvent(ctx, {
      id: eventId,
      type: event,
      templateId: templateId ?? undefined,
      body: EVENTS[event].example as never,
      subscriptionId: id,
    });
    await commit(ctx, [tested, recordAction(ctx, { action: 'webhook.test', target: webhookTarget(ctx, id) })]);
    return eventId;
  };
  return writeOnce(ctx, () => findEvent(ctx, eventId), test);
}

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
