import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { ownerOfKey } from '../../domain/api-keys/authenticate.ts';
import { EVENT_TYPES } from '../../domain/events/catalog.ts';
import { AnyText } from '../../domain/fields.ts';
import { listSigningKeys } from '../../domain/signing-keys/signer.ts';
import { listSubscriptions, unsubscribeTarget } from '../../domain/webhooks/manage-subscription.ts';
import { NewSubscription, SUBSCRIPTIONS_MAX, subscribe } from '../../domain/webhooks/subscribe.ts';
import { rowsOf } from '../../platform/batch-part.ts';
import type { ApiEnv } from '../api-env.ts';
import { PUBLIC_KEY_EXAMPLE } from '../examples.ts';
import { documentedAs } from '../json-schema.ts';
import { Flag, operationsWith, validate } from '../operation.ts';
import { readAhead } from '../read-ahead.ts';
import { text } from '../view-fields.ts';
import {
  ListedSubscription,
  SubscribedView,
  subscribedView,
  subscriptionDetails,
  subscriptionView,
} from './hook-view.ts';

const operation = operationsWith({ tag: 'Webhooks', scope: 'webhooks:manage', isAccountWide: true });

const SUBSCRIPTION = {
  target_url: 'https://shop.example.com/hooks/passes',
  event: 'pass_created',
  subscription_url: 'shop',
  retryEnabled: true,
  signPayload: true,
};

/** The domain checks the body; the schema only documents it. */
const SubscriptionBody = documentedAs(
  z.record(z.string(), z.unknown()),
  z.object({
    target_url: z.url().max(2_048).nullish().describe('Required unless `pullMode` is true'),
    event: z.enum(EVENT_TYPES),
    subscription_url: NewSubscription.shape.subscription_url.describe('Your own name for the subscription'),
    retryEnabled: NewSubscription.shape.retryEnabled.describe('Retries failed deliveries; ignored in pull mode'),
    signPayload: NewSubscription.shape.signPayload.describe(
      'Adds `signedData` and `signature` to each body; ignored in pull mode',
    ),
    pullMode: NewSubscription.shape.pullMode.describe('Stores events for GET /api/v3/webhook-payload'),
  }),
);

const ListQuery = z.object({ includeMetrics: Flag.default(false) });
const SubscribeQuery = z.object({ generateAccessToken: Flag.optional() });

const subscribeOperation = (id: string, summary: string) =>
  operation({
    id,
    summary,
    description:
      'Updates the subscription with the same endpoint URL, event and template if there is one. With the header ' +
      '`Prefer: return=representation`, the reply contains the subscription with its signing secret. An account ' +
      `can have at most ${SUBSCRIPTIONS_MAX} subscriptions.`,
    example: SUBSCRIPTION,
    replies: { 201: { description: 'Subscribed', schema: SubscribedView, example: {} } },
    failures: [404],
    headers: [
      {
        name: 'Prefer',
        description: 'Returns the subscription with its signing secret',
        schema: { type: 'string', enum: ['return=representation'] },
      },
    ],
  });

/** `Prefer: return=representation` (RFC 7240 §4.2), possibly among other preferences. */
const PREFERS_ALL = /(^|,)\s*return\s*=\s*"?representation"?\s*(;|,|$)/i;

async function replyToSubscribe(
  c: Context<ApiEnv>,
  sent: unknown,
  generateAccessToken: boolean | undefined,
  templateName?: string,
) {
  const whole = PREFERS_ALL.test(c.req.header('Prefer') ?? '');
  const subscribed = await subscribe(c.var.ctx, sent, { templateName, generateAccessToken });
  if (whole) c.header('Preference-Applied', 'return=representation');
  return c.json(subscribedView(subscribed, whole), 201);
}

const Target = z.object({ target_url: AnyText.pipe(z.string().min(1, 'must not be empty')) });

const unsubscribeOperation = (id: string, summary: string) =>
  operation({
    id,
    summary,
    description:
      'Deletes all subscriptions with this endpoint URL and cancels their pending deliveries. Send the URL ' +
      'exactly as you did when you subscribed.',
    example: { target_url: SUBSCRIPTION.target_url },
    replies: { 200: { description: 'Deleted' } },
  });

async function replyToUnsubscribe(c: Context<ApiEnv>, targetUrl: string) {
  await unsubscribeTarget(c.var.ctx, targetUrl);
  return c.body(null, 200);
}

/** Routes of all subscriptions. Those of a single one are in hook-subscription.ts. */
export const hookRoutes = new Hono<ApiEnv>()
  .post(
    '/subscribe',
    subscribeOperation('subscribe', 'Subscribe to an event'),
    validate('query', SubscribeQuery),
    validate('json', SubscriptionBody),
    (c) => replyToSubscribe(c, c.req.valid('json'), c.req.valid('query').generateAccessToken),
  )
  .post(
    '/subscribe/:template',
    subscribeOperation('subscribeToTemplate', 'Subscribe to an event of one template'),
    validate('query', SubscribeQuery),
    validate('json', SubscriptionBody),
    (c) => replyToSubscribe(c, c.req.valid('json'), c.req.valid('query').generateAccessToken, c.req.param('template')),
  )
  .post(
    '/unsubscribe',
    unsubscribeOperation('unsubscribe', 'Delete the subscriptions of an endpoint URL'),
    validate('json', Target),
    (c) => replyToUnsubscribe(c, c.req.valid('json').target_url),
  )
  .delete(
    '/unsubscribe',
    unsubscribeOperation('unsubscribeByDelete', 'Delete the subscriptions of an endpoint URL (also as DELETE)'),
    validate('json', Target),
    (c) => replyToUnsubscribe(c, c.req.valid('json').target_url),
  )
  .get(
    '/list',
    operation({
      id: 'listSubscriptions',
      summary: 'List all subscriptions',
      description: 'With `includeMetrics=true`, each subscription includes its options and metrics.',
      replies: { 200: { description: 'Oldest first', schema: z.array(ListedSubscription) } },
    }),
    readAhead('query', ListQuery, (key) => rowsOf(listSubscriptions(ownerOfKey(key)))),
    (c) => c.json(c.var.ahead.map(c.req.valid('query').includeMetrics ? subscriptionDetails : subscriptionView)),
  )
  .get(
    '/publickey',
    operation({
      id: 'readWebhookPublicKey',
      summary: 'Get the public key of `signature`',
      description:
        'ECDSA on P-256 with SHA-256 over the UTF-8 bytes of `signedData`; `signature` is hexadecimal DER. It ' +
        'belongs to the account’s signing key, which `sign()` uses, too. Each attempt is signed with the ' +
        'current key.',
      replies: {
        200: { description: 'PEM (SubjectPublicKeyInfo)', schema: z.object({ publicKey: text(PUBLIC_KEY_EXAMPLE) }) },
      },
    }),
    async (c) => c.json({ publicKey: (await listSigningKeys(c.var.ctx))[0]!.publicKeyPem }),
  );
