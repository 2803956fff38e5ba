import { recordAction } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import { EVENTS } from '../events/catalog.ts';
import { findEvent, recordEvent } from '../events/record-event.ts';
import { enforceRateLimit } from '../rate-limits.ts';
import { newId, writeOnce } from '../write-once.ts';
import { getSubscription, requireActive, webhookTarget } from './find-subscription.ts';

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
