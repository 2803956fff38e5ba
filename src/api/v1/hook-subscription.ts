import { Hono } from 'hono';
import * as z from 'zod';
import { invalidField } from '../../domain/errors.ts';
import { AnyText, ISO_HINT, OwnId } from '../../domain/fields.ts';
import { listDeliveries, resendDelivery } from '../../domain/webhooks/list-deliveries.ts';
import {
  deleteSubscription,
  getSubscription,
  resumeSubscription,
  rotateSecret,
  testSubscription,
} from '../../domain/webhooks/manage-subscription.ts';
import { recoverEvents } from '../../domain/webhooks/recover-events.ts';
import { lowerUuid } from '../../platform/ids.ts';
import type { ApiEnv } from '../api-env.ts';
import { ORIGIN, PASS_ID_EXAMPLE } from '../examples.ts';
import { operationsWith, PageSize, validate } from '../operation.ts';
import { like, text } from '../view-fields.ts';
import { DeliveryView, deliveryView, SubscriptionDetails, subscriptionDetails } from './hook-view.ts';

const operation = operationsWith({ tag: 'Webhooks', scope: 'webhooks:manage', isAccountWide: true });

const DeliveriesQuery = z.object({
  pageSize: PageSize,
  before: OwnId.optional().describe('`deliveryId` of the last delivery on the previous page'),
});

const DeliveriesView = z.object({
  query: z.object({
    pageSize: like(z.int(), 100),
    self: like(z.url(), `${ORIGIN}/api/hook/${PASS_ID_EXAMPLE}/deliveries?pageSize=100`),
    next: z.url().optional(),
  }),
  results: z.array(DeliveryView),
});

/** ISO 8601 with a time zone, or a date, which means its start in UTC. */
const Moment = AnyText.pipe(z.union([z.iso.datetime({ offset: true }), z.iso.date()], ISO_HINT));

const PeriodInput = z.object({ since: Moment, until: Moment.optional() });

const ACCEPTED = z.object({ deliveryId: z.uuid() });

const NOT_ACTIVE = 'The subscription is paused, or its receiver ended it with status 410';

/** Routes of one subscription. Mounted after those of hook.ts, whose paths could be taken for identifiers. */
export const hookSubscriptionRoutes = new Hono<ApiEnv>()
  .get(
    '/:subscription{[0-9a-fA-F-]+}',
    operation({
      id: 'readSubscription',
      summary: 'Get a subscription with its counts',
      replies: { 200: { description: 'The subscription', schema: SubscriptionDetails } },
    }),
    async (c) => c.json(subscriptionDetails(await getSubscription(c.var.ctx, lowerUuid(c.req.param('subscription'))))),
  )
  .delete(
    '/:subscription{[0-9a-fA-F-]+}',
    operation({
      id: 'deleteSubscription',
      summary: 'Delete a subscription',
      description: 'Cancels pending deliveries and deletes stored payloads. Works for push and pull mode.',
      replies: { 200: { description: 'Deleted' } },
    }),
    async (c) => {
      await deleteSubscription(c.var.ctx, lowerUuid(c.req.param('subscription')));
      return c.body(null, 200);
    },
  )
  .get(
    '/:subscription/deliveries',
    operation({
      id: 'listDeliveries',
      summary: 'List the deliveries of a subscription with their attempts',
      description: 'Newest first; kept for 30 days. Times are in UTC.',
      replies: { 200: { description: 'A page of deliveries', schema: DeliveriesView } },
    }),
    validate('query', DeliveriesQuery),
    async (c) => {
      const { pageSize, before } = c.req.valid('query');
      const id = lowerUuid(c.req.param('subscription'));
      const { deliveries, hasMore } = await listDeliveries(c.var.ctx, id, { pageSize, before });
      const url = (from?: string) => {
        const query = new URLSearchParams({ pageSize: String(pageSize), ...(from ? { before: from } : {}) });
        return `${c.var.ctx.baseUrl}/api/hook/${id}/deliveries?${query}`;
      };
      const next = hasMore ? { next: url(deliveries.at(-1)!.eventId) } : {};
      return c.json({ query: { pageSize, self: url(before), ...next }, results: deliveries.map(deliveryView) });
    },
  )
  .post(
    '/:subscription/deliveries/:delivery/resend',
    operation({
      id: 'resendDelivery',
      summary: 'Resend an event',
      description: 'Uses the same `webhook-id`, whatever the result of earlier attempts.',
      replies: { 202: { description: 'Accepted; the event is delivered at once', schema: ACCEPTED } },
      conflict: NOT_ACTIVE,
    }),
    async (c) => {
      const deliveryId = lowerUuid(c.req.param('delivery'));
      await resendDelivery(c.var.ctx, lowerUuid(c.req.param('subscription')), deliveryId);
      return c.json({ deliveryId }, 202);
    },
  )
  .post(
    '/:subscription/recover',
    operation({
      id: 'recoverEvents',
      summary: 'Recover the missed events of a period',
      description:
        'Delivers events of the period that were never delivered: after failed attempts, during a pause, or ' +
        'from before the subscription was created. Covers at most the last 32 days. `until` defaults to now.',
      example: { since: '2027-01-31T09:30:00Z', until: '2027-02-05T12:00:00Z' },
      replies: {
        202: {
          description: 'Recovery started',
          schema: z.object({ since: z.iso.datetime(), until: z.iso.datetime() }),
        },
      },
      conflict: NOT_ACTIVE,
    }),
    validate('json', PeriodInput),
    async (c) => {
      const { since, until } = c.req.valid('json');
      const [sinceAt, untilAt] = [Date.parse(since), until === undefined ? Date.now() : Date.parse(until)];
      if (Number.isNaN(sinceAt)) throw invalidField('since', `${ISO_HINT}`);
      if (Number.isNaN(untilAt)) throw invalidField('until', `${ISO_HINT}`);
      await recoverEvents(c.var.ctx, lowerUuid(c.req.param('subscription')), { sinceAt, untilAt });
      return c.json({ since: new Date(sinceAt).toISOString(), until: new Date(untilAt).toISOString() }, 202);
    },
  )
  .post(
    '/:subscription/test',
    operation({
      id: 'testSubscription',
      summary: 'Send a test event',
      description: 'Sends the example from GET /api/v3/events like any other event, only to this subscription.',
      replies: { 202: { description: 'Accepted; the event is delivered at once', schema: ACCEPTED } },
      conflict: NOT_ACTIVE,
    }),
    async (c) => c.json({ deliveryId: await testSubscription(c.var.ctx, lowerUuid(c.req.param('subscription'))) }, 202),
  )
  .post(
    '/:subscription/secret/rotate',
    operation({
      id: 'rotateSecret',
      summary: 'Rotate the signing secret of a subscription',
      description: 'For 24 hours, deliveries carry signatures of both secrets, the new one first.',
      replies: {
        200: {
          description: 'The new secret',
          schema: z.object({
            secret: text('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'),
            previousSecretValidUntil: z.iso.datetime(),
          }),
        },
      },
    }),
    async (c) => {
      const { secret, previousUntilAt } = await rotateSecret(c.var.ctx, lowerUuid(c.req.param('subscription')));
      return c.json({ secret, previousSecretValidUntil: new Date(previousUntilAt).toISOString() });
    },
  )
  .post(
    '/:subscription/resume',
    operation({
      id: 'resumeSubscription',
      summary: 'Resume a paused subscription',
      description: 'Deliveries start again. To deliver missed events, use `recover`.',
      replies: { 200: { description: 'Active', schema: SubscriptionDetails } },
      conflict: 'The receiver ended the subscription with status 410',
    }),
    async (c) =>
      c.json(subscriptionDetails(await resumeSubscription(c.var.ctx, lowerUuid(c.req.param('subscription'))))),
  );
