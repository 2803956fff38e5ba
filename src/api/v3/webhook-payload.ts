import { Hono } from 'hono';
import { z } from 'zod';
import { invalid } from '../../domain/errors.ts';
import { EVENT_TYPES, EVENTS } from '../../domain/events/catalog.ts';
import { ISO_HINT, OwnId } from '../../domain/fields.ts';
import { acknowledgePayloads } from '../../domain/webhooks/acknowledge-payloads.ts';
import { listPayloads, type OpenPayload } from '../../domain/webhooks/list-payloads.ts';
import { formatDateTime, parseIso } from '../../platform/dates.ts';
import { lowerUuid } from '../../platform/ids.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeV3, envelopeV3Schema } from '../envelope.ts';
import { operation, validate } from '../operation.ts';

/** Specification, "Limits". */
const PAYLOADS_DEFAULT = 100;
const PAYLOADS_MAX = 500;
const SECOND_MS = 1_000;

/** What is out of range is clamped; what is no integer is refused. */
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
      'Only payloads triggered after this time. A time without an offset is in UTC. A time without a fraction covers that whole second, as shown in `triggeredOn`',
  });

const PayloadQuery = z.object({
  webhookId: OwnId.optional().describe('Only payloads of this subscription'),
  limit: Limit.optional(),
  since: Since.optional(),
});

const PayloadView = z.object({
  id: z.uuid(),
  webhookId: z.uuid().describe('The subscription'),
  type: z.enum(EVENT_TYPES),
  triggeredOn: z.string().describe('`Y-m-d H:i:s` in UTC'),
  payload: z.record(z.string(), z.unknown()).describe('The body that push mode would have posted'),
});

const AcknowledgeInput = z.object({
  upTo: z.unknown().optional(),
  webhookId: OwnId.nullish().describe('Only payloads of this subscription; absent or null: of all subscriptions'),
});
/** The same as the document shows it; what is wrong with `upTo` has words of its own. */
const AcknowledgeBody = AcknowledgeInput.extend({ upTo: z.string().min(1).describe('The `id` of a payload') });

const ID_EXAMPLE = '01980b5f-9d0a-7c41-a1b2-0242ac120000';
const WEBHOOK_ID_EXAMPLE = '01980b5c-0e6f-7d13-b8a4-0242ac120000';
const PAYLOAD_EXAMPLE = {
  id: ID_EXAMPLE,
  webhookId: WEBHOOK_ID_EXAMPLE,
  type: 'pass_created',
  triggeredOn: '2027-01-31 08:30:00',
  payload: EVENTS.pass_created.example,
};

export const webhookPayloadRoutes = new Hono<ApiEnv>()
  .get(
    '/',
    operation({
      id: 'listWebhookPayloads',
      summary: 'List stored payloads of pull subscriptions',
      description:
        'Returns unacknowledged payloads, oldest first. Process them, acknowledge the last one, and list again. Payloads that arrive in the meantime are not skipped. Payloads are kept for 30 days.',
      tag: 'Webhooks',
      scope: 'webhooks:manage',
      replies: {
        200: {
          description: 'The oldest payloads, and the total number',
          schema: envelopeV3Schema(z.array(PayloadView)).extend({
            responseMetaData: z.object({ resultsTotal: z.int(), resultsThisPage: z.int() }),
          }),
          example: {
            success: true,
            description: 'Webhook payloads',
            errors: [],
            data: [PAYLOAD_EXAMPLE],
            statusCode: 200,
            count: 1,
            responseMetaData: { resultsTotal: 1, resultsThisPage: 1 },
          },
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
        'Acknowledges the payload that `upTo` names and all payloads before it, in the order of the list. Covers all subscriptions of the account, or the one in `webhookId`. Acknowledged payloads are not listed again, and are deleted about 24 hours later. Repeating the request acknowledges nothing.',
      tag: 'Webhooks',
      scope: 'webhooks:manage',
      example: { upTo: ID_EXAMPLE },
      replies: {
        200: {
          description: 'Number of payloads that this request acknowledged',
          schema: envelopeV3Schema(z.object({ acknowledged: z.int() })),
        },
      },
      failures: [404],
    }),
    validate('json', AcknowledgeInput, AcknowledgeBody),
    async (c) => {
      const { upTo, webhookId } = c.req.valid('json');
      // A number or boolean is no string here, unlike elsewhere.
      if (typeof upTo !== 'string' || upTo === '') throw invalid('missing required parameter: upTo');
      const acknowledged = await acknowledgePayloads(c.var.ctx, lowerUuid(upTo), webhookId ?? undefined);
      return envelopeV3(c, { description: 'Payloads acknowledged', data: { acknowledged }, count: acknowledged });
    },
  );

function payloadView({ id, subscriptionId, type, triggeredAt, body }: OpenPayload) {
  return { id, webhookId: subscriptionId, type, triggeredOn: formatDateTime(triggeredAt, 'UTC'), payload: body };
}

/** The first time that is strictly later: a whole second ends with its last millisecond. */
function fromAtOf(sinceAt: number): number {
  return sinceAt + (sinceAt % SECOND_MS === 0 ? SECOND_MS : 1);
}
