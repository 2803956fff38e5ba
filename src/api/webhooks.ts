import { EVENT_TYPES, EVENTS, type EventType } from '../domain/events/catalog.ts';
import { toJsonSchema } from './json-schema.ts';

type Json = Record<string, unknown>;

const ID_EXAMPLE = '01980b5e-5b12-7a04-9d31-0242ac120000';
const TIMESTAMP_EXAMPLE = '1801477800';

/** Authenticates deliveries of a subscription that was created with `generateAccessToken`. */
export const ACCESS_TOKEN_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description: 'Deliveries only: the token from `generateAccessToken=true`',
};

/** Returns `webhooks` of the contract document: the requests to the `target_url` of a subscription, by event. */
export function webhookDocuments(): Record<string, Json> {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: documentOf(type) }]));
}

/**
 * Returns the JSON Schema of an event's body. It allows further members: a signed delivery adds two, and future
 * versions of an event may add more.
 */
export function eventJsonSchema(type: EventType): Json {
  return toJsonSchema(EVENTS[type].body, 'input');
}

function documentOf(type: EventType): Json {
  const { summary, description, example } = EVENTS[type];
  return {
    operationId: `on${pascalCase(type)}`,
    summary,
    description,
    tags: ['Webhooks'],
    security: [{}, { accessToken: [] }],
    parameters: headersOf(type),
    requestBody: { required: true, content: { 'application/json': { schema: eventJsonSchema(type), example } } },
    responses: {
      '2XX': { description: 'Received, if you reply within ten seconds' },
      '410': { description: 'Ends the subscription' },
      default: { description: 'Failed; retried if the subscription has `retryEnabled`' },
    },
  };
}

function headersOf(type: EventType): Json[] {
  const header = (name: string, description: string, example: string, schema: Json = {}) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string', ...schema },
    example,
  });
  return [
    header('X-Event-Type', 'Event type', type, { const: type }),
    header('webhook-id', 'Event identifier, the same on every retry', ID_EXAMPLE),
    header('webhook-timestamp', 'Time of this attempt, in seconds since 1970', TIMESTAMP_EXAMPLE),
    header(
      'webhook-signature',
      '`v1,` and the base64 of the HMAC-SHA-256 of `<webhook-id>.<webhook-timestamp>.<body>` with the signing ' +
        'secret of the subscription; several, separated by spaces, after a rotation',
      'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    ),
  ];
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());
}
