import { and, eq, not, sql } from 'drizzle-orm';
import { enterOnce } from '../audit/enter-once.ts';
import { findEntry, isEntered, recordAction, recordActions } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { EVENTS } from '../events/catalog.ts';
import { findEvent, recordEvent } from '../events/record-event.ts';
import { enforceRateLimit } from '../rate-limits.ts';
import { newId, writeOnce } from '../write-once.ts';
import { addUncounted } from './delivery-counts.ts';
import {
  getPushSubscription,
  getSubscription,
  isOwnSubscription,
  requireActive,
  subscriptionColumns,
  webhookTarget,
} from './find-subscription.ts';
import { discardPayloads, discardRest } from './payload-counts.ts';
import { newSecret, seal, unseal } from './secrets.ts';
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
