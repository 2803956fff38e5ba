import { Hono } from 'hono';
import * as z from 'zod';
import { invalid } from '../../domain/errors.ts';
import { EVENT_TYPES, EVENTS } from '../../domain/events/catalog.ts';
import { ISO_HINT, OwnId } from '../../domain/fields.ts';
import { acknowledgePayloads, listPayloads, type OpenPayload } from '../../domain/webhooks/pull-payloads.ts';
import { formatDateTime, parseIso } from '../../platform/dates.ts';
import { lowerUuid } from '../../platform/ids.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeV3, envelopeV3Schema, PageCounts } from '../envelope.ts';
import { documentedAs } from '../json-schema.ts';
import { operationsWith, validate } from '../operation.ts';
import { Count, LocalTime, like } from '../view-fields.ts';

const operation = operationsWith({ tag: 'Webhooks', scope: 'webhooks:manage', isAccountWide: true });

/** Payloads per reply, unless `limit` is sent. */
const PAYLOADS_DEFAULT = 100;
const PAYLOADS_MAX = 500;
const SECOND_MS = 1_000;

const ID_EXAMPLE = '01980b5f-9d0a-7c41-a1b2-0242ac120000';

/** Clamps numbers outside the range, and refuses anything but an integer. */
const Limit = z
  .string()
  .regex(/^[-+]?\d+$/, 'must be an integer such as 100')
  .transform((text) => Math.min(Math.max(Number(text), 1), PAYLOADS_MAX))
  .meta({
    type: 'integer',
    default: PAYLOADS_DEFAULT,
    description: 'From 1 to 500; other values are set to the nearest limit',
  });

const Since = z
  .string()
  .refine(
    (text) => parseIso(text) !== undefined,
    `invalid since parameter, expected ${ISO_HINT.replace('must be ', '')}`,
  )
  .transform((text) => fromAtOf(parseIso(text)!))
  .meta({
    format: 'date-time',
    description:
      'Only payloads triggered after this time. A time without an offset is in UTC. A time without a fraction ' +
      'covers that whole second, as shown in `triggeredOn`',
  });

const PayloadQuery = z.object({
  webhookId: OwnId.optional().describe('Only payloads of this subscription'),
  limit: Limit.optional(),
  since: Since.optional(),
});

const PayloadView = z.object({
  id: like(z.uuid(), ID_EXAMPLE),
  webhookId: like(z.uuid(), '01980b5c-0e6f-7d13-b8a4-0242ac120000').describe('The subscription'),
  type: z.enum(EVENT_TYPES),
  triggeredOn: LocalTime.describe('`Y-m-d H:i:s` in UTC'),
  payload: like(z.record(z.string(), z.unknown()), EVENTS.pass_created.example).describe(
    'The body that push mode would have posted',
  ),
});

const Acknowledged = z.object({
  upTo: z.string().min(1).describe('The `id` of a payload'),
  webhookId: OwnId.nullish().describe('Only payloads of this subscription; absent or null: of all subscriptions'),
});
/** `upTo` is checked in the handler, because its error has a different text. */
const AcknowledgeInput = documentedAs(Acknowledged.extend({ upTo: z.unknown().optional() }), Acknowledged);

export const webhookPayloadRoutes = new Hono<ApiEnv>()
  .get(
    '/',
    operation({
      id: 'listWebhookPayloads',
      summary: 'List stored payloads of pull subscriptions',
      description:
        'Returns unacknowledged payloads, oldest first. Process them, acknowledge the last one, and list ' +
        'again. Payloads that arrive in the meantime are not skipped. A page with 8,000,000 characters ends before ' +
        '`limit`. Payloads are kept for 30 days.',
      replies: {
        200: {
          description: 'The oldest payloads, and the total number',
          schema: envelopeV3Schema(z.array(PayloadView)).extend({ responseMetaData: PageCounts }),
        },
      },
    }),
    validate('query', PayloadQuery),
    async (c) => {
      const { webhookId, limit = PAYLOADS_DEFAULT, since } = c.req.valid('query');
      const { payloads, total } = await listPayloads(c.var.ctx, { subscriptionId: webhookId, fromAt: since, limit });
      return envelopeV3(c, {
        description: 'Webhook payloads',
        data: payloads.map(payloadView),
        count: payloads.length,
        responseMetaData: { resultsTotal: total, resultsThisPage: payloads.length },
      });
    },
  )
  .post(
    '/acknowledge',
    operation({
      id: 'acknowledgeWebhookPayloads',
      summary: 'Acknowledge stored payloads',
      description:
        'Acknowledges the payload that `upTo` names and all payloads before it, in the order of the list. ' +
        'Covers all subscriptions of the account, or the one in `webhookId`. Acknowledged payloads are not ' +
        'listed again, and are deleted about 24 hours later. Repeating the request acknowledges nothing.',
      example: { upTo: ID_EXAMPLE },
      replies: {
        200: {
          description: 'Number of payloads that this request acknowledged',
          schema: envelopeV3Schema(z.object({ acknowledged: Count })),
        },
      },
      failures: [404],
    }),
    validate('json', AcknowledgeInput),
    async (c) => {
      const { upTo, webhookId } = c.req.valid('json');
      // Unlike elsewhere, a number or boolean isn't accepted as a string here.
      if (typeof upTo !== 'string' || upTo === '') throw invalid('missing required parameter: upTo');
      const acknowledged = await acknowledgePayloads(c.var.ctx, lowerUuid(upTo), webhookId ?? undefined);
      return envelopeV3(c, { description: 'Payloads acknowledged', data: { acknowledged }, count: acknowledged });
    },
  );

function payloadView({ id, subscriptionId, type, triggeredAt, body }: OpenPayload) {
  return { id, webhookId: subscriptionId, type, triggeredOn: formatDateTime(triggeredAt, 'UTC'), payload: body };
}

/** Returns the first millisecond after `since`. A time in whole seconds covers that whole second. */
function fromAtOf(sinceAt: number): number {
  return sinceAt + (sinceAt % SECOND_MS === 0 ? SECOND_MS : 1);
}
