import * as z from 'zod';
import { EVENT_TYPES } from '../../domain/events/catalog.ts';
import type { SubscriptionWithSecrets } from '../../domain/webhooks/subscribe.ts';
import type { Delivery, Subscription } from '../../domain/webhooks/table.ts';
import { iso, isoOrNull, like, text, textOrNull } from '../view-fields.ts';

const Iso = z.iso.datetime();

/** A subscription in the list. */
export const SubscriptionView = z.object({
  subscription_url: z.string().nullable(),
  target_url: textOrNull('https://shop.example.com/hooks/passes'),
  event: z.enum(EVENT_TYPES),
  pass_template: z.uuid().nullable(),
  pull_mode: z.boolean(),
  identifier: z.uuid(),
  status: z.enum(['active', 'paused', 'ended']),
});
export type SubscriptionView = z.infer<typeof SubscriptionView>;

export function subscriptionView(subscription: Subscription): SubscriptionView {
  return {
    subscription_url: subscription.subscriptionUrl,
    target_url: subscription.targetUrl,
    event: subscription.event,
    pass_template: subscription.templateId,
    pull_mode: subscription.targetUrl === null,
    identifier: subscription.id,
    status: subscription.status,
  };
}

/** A subscription with its options and metrics. */
export const SubscriptionDetails = SubscriptionView.extend({
  retryEnabled: z.boolean(),
  signPayload: z.boolean(),
  createdOn: Iso,
  metrics: z.object({
    delivered: z.int().describe('Delivered events'),
    failed: z.int().describe('Failed events'),
    lagMillis: like(z.int().nullable(), 240).describe('Milliseconds from the last delivered event to its delivery'),
    lastOutcome: z.string().nullable(),
    lastAttemptOn: Iso.nullable(),
    failingSince: Iso.nullable().describe('Start of the current failures; null while deliveries succeed'),
  }),
});

/** A subscription in the list, with its details only if they were requested. */
export const ListedSubscription = SubscriptionDetails.partial({
  retryEnabled: true,
  signPayload: true,
  createdOn: true,
  metrics: true,
});

export function subscriptionDetails(subscription: Subscription): z.infer<typeof SubscriptionDetails> {
  const { retryEnabled, signPayload, createdAt, delivered, failed, lagMillis, lastOutcome } = subscription;
  return {
    ...subscriptionView(subscription),
    retryEnabled,
    signPayload,
    createdOn: iso(createdAt),
    metrics: {
      delivered,
      failed,
      lagMillis,
      lastOutcome,
      lastAttemptOn: isoOrNull(subscription.lastAttemptAt),
      failingSince: isoOrNull(subscription.failingSinceAt),
    },
  };
}

/** The reply to a subscription: an empty object, the token, or the webhook with `Prefer: return=representation`. */
export const SubscribedView = z.object({
  ...SubscriptionDetails.partial().shape,
  accessToken: text('9sXv2LqYt4Kc7WbR1mZd8Q')
    .optional()
    .describe('Returned only once; each delivery carries it as a bearer token'),
  secret: text('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD')
    .optional()
    .describe('Verifies `webhook-signature`; with `Prefer: return=representation`'),
});

export function subscribedView({ subscription, secret, accessToken }: SubscriptionWithSecrets, whole: boolean) {
  return {
    ...(whole ? subscriptionDetails(subscription) : {}),
    ...(whole && subscription.targetUrl !== null ? { secret } : {}),
    ...(accessToken === undefined ? {} : { accessToken }),
  };
}

/** One event for one subscription, with its attempts. */
export const DeliveryView = z.object({
  deliveryId: z.uuid().describe('Identifier of the event; the `webhook-id` of each attempt'),
  state: z.enum(['waiting', 'delivered', 'failed']),
  createdOn: Iso,
  nextAttemptOn: Iso.nullable().describe('Approximate time of the next retry; null after the last attempt'),
  attempts: z
    .array(
      z.object({
        attemptedOn: Iso,
        outcome: text('delivered').describe(
          '`delivered`, `status_500`, `timeout`, `dns_lookup_failed`, `private_address`, …',
        ),
        status: like(z.int(), 200).optional(),
        answer: text('ok').optional().describe('Start of an unsuccessful response'),
        durationMillis: z.int(),
      }),
    )
    .describe('The last ten, oldest first'),
});

export function deliveryView(delivery: Delivery): z.infer<typeof DeliveryView> {
  return {
    deliveryId: delivery.eventId,
    state: delivery.state,
    createdOn: iso(delivery.createdAt),
    nextAttemptOn: isoOrNull(delivery.nextAttemptAt),
    attempts: delivery.attempts.map(({ at, durationMs, lagMs: _, ...rest }) => ({
      attemptedOn: iso(at),
      ...rest,
      durationMillis: durationMs,
    })),
  };
}
