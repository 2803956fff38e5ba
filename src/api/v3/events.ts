import { Hono } from 'hono';
import * as z from 'zod';
import { EVENT_TYPES, EVENTS } from '../../domain/events/catalog.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeV3, envelopeV3Schema } from '../envelope.ts';
import { operation } from '../operation.ts';
import { like, text } from '../view-fields.ts';
import { eventJsonSchema } from '../webhooks.ts';

const JsonObject = z.record(z.string(), z.unknown());
const EventItem = z.object({
  type: z.enum(EVENT_TYPES).describe('The `event` of a subscription'),
  summary: text(EVENTS.pass_created.summary),
  description: text(EVENTS.pass_created.description).describe('When the event is recorded'),
  schema: like(JsonObject, { type: 'object' }).describe('JSON Schema (2020-12) of its body'),
  example: like(JsonObject, EVENTS.pass_created.example).describe('Example of its body'),
});

export const eventRoutes = new Hono<ApiEnv>().get(
  '/',
  operation({
    id: 'listEvents',
    summary: 'List events',
    description: 'The event catalog: description, JSON Schema of the body, and an example of each event.',
    tag: 'Webhooks',
    scope: 'webhooks:manage',
    isAccountWide: true,
    replies: { 200: { description: 'All events', schema: envelopeV3Schema(z.array(EventItem)) } },
  }),
  (c) => {
    const data = EVENT_TYPES.map((type) => {
      const { summary, description, example } = EVENTS[type];
      return { type, summary, description, schema: eventJsonSchema(type), example };
    });
    return envelopeV3(c, { description: 'Events', data, count: data.length });
  },
);
