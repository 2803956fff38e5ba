import type { Hono } from 'hono';
import { findTargetHandler } from 'hono/utils/handler';
import type * as z from 'zod';
import type { ApiEnv } from './api-env.ts';
import { PASS_ID_EXAMPLE } from './examples.ts';
import { errorSchemas, failuresOf, headerRefs, type Json, REPLY_HEADERS, sharedFailures } from './failures.ts';
import { toJsonSchema } from './json-schema.ts';
import { type HeaderParameter, type Operation, operationOf, type Validation, validationOf } from './operation.ts';
import { ACCESS_TOKEN_SCHEME, webhookDocuments } from './webhooks.ts';

interface DocumentedRoute {
  method: string;
  path: string;
  operation: Operation;
  validations: Validation[];
}

/** Tags of the document, in the order in which a newcomer needs them. */
const TAGS = {
  Passes: 'Create, read, change, void and delete passes',
  Templates: 'Templates: definition, publication, copies',
  Search: 'Search for passes, and stored queries',
  'Bulk operations': 'Create or change many passes with one request',
  Persons: 'Export and erase the data of one person',
  Processes: 'Progress of bulk operations; cancel and retry',
  Bundles: 'Groups of passes with one link',
  Notifications: 'Push notifications to devices with passes of a template',
  Validation: 'App configurations, scanner links, and scans',
  Webhooks: 'Subscriptions to events, their deliveries, and pull mode',
  Projects: 'Groups of templates; passes can move within a project',
  Customers: 'Sub-customers with accounts of their own',
  'API keys': 'Create, restrict, rotate and delete API keys',
  Audit: 'Log of changes, sign-ins and exports in the account',
  Signing: 'Public keys of placeholder signatures',
  Service: 'Health of the service',
};

let built: Json | undefined;

/** Returns the OpenAPI 3.1 document of all routes in `app`. It is built once, on the first request. */
export function openApiDocument(app: Hono<ApiEnv>): Json {
  built ??= {
    openapi: '3.1.0',
    info: {
      title: 'Pass wallet service',
      version: '1.0.0',
      description:
        'Issue, update, deliver, validate and delete wallet passes made from templates. Send your API key in ' +
        'the header `Authorization` of every request.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(documentedRoutes(app)),
    webhooks: webhookDocuments(),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'Authorization' },
        accessToken: ACCESS_TOKEN_SCHEME,
      },
      schemas: errorSchemas(),
      responses: sharedFailures(),
      headers: REPLY_HEADERS,
    },
  };
  return built;
}

function documentedRoutes(app: Hono<ApiEnv>): DocumentedRoute[] {
  const routes = new Map<string, Partial<DocumentedRoute> & Pick<DocumentedRoute, 'validations'>>();
  for (const { method, path, handler } of app.routes) {
    const target = findTargetHandler(handler);
    const key = `${method} ${path}`;
    const { operation = operationOf(target), validations = [] } = routes.get(key) ?? {};
    const validation = validationOf(target);
    routes.set(key, { method, path, operation, validations: validation ? [...validations, validation] : validations });
  }
  const documented = [...routes.values()].filter((route): route is DocumentedRoute => route.operation !== undefined);
  return documented.sort((a, b) => a.path.localeCompare(b.path));
}

function pathsOf(routes: DocumentedRoute[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/\/$/, '').replace(/:(\w+)(\{[^}]*\})?/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route) };
  }
  return paths;
}

function describe({ method, path, operation, validations }: DocumentedRoute): Json {
  const json = validations.find((validation) => validation.target === 'json');
  const replies = Object.entries(operation.replies).map(([status, reply]) => {
    const headers = operation.open ? headerRefs(401) : headerRefs(Number(status), method === 'POST');
    return [status, replyOf(reply, Number(status), headers)];
  });
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    ...(operation.deprecated ? { deprecated: true } : {}),
    ...(operation.open ? { security: [] } : {}),
    tags: [operation.tag],
    ...(operation.scope ? { 'x-required-scope': operation.scope } : {}),
    ...(operation.isAccountWide ? { 'x-whole-account': true } : {}),
    parameters: parametersOf({ method, path, operation, validations }),
    ...(json ? { requestBody: bodyOf(json.schema, operation.example) } : {}),
    ...(operation.file ? { requestBody: fileOf(operation.file) } : {}),
    responses: {
      ...Object.fromEntries(replies),
      ...(operation.open ? {} : failuresOf(method, path, operation)),
    },
  };
}

function parametersOf({ path, method, operation, validations }: DocumentedRoute): Json[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = validations
    .filter((validation) => validation.target === 'query')
    .flatMap(({ schema }) => queryParameters(toJsonSchema(schema, 'input')));
  const ofAll = operation.open ? [] : [BOOKMARK];
  const inHeader = [...(operation.headers ?? []), ...(method === 'POST' ? [IDEMPOTENCY_KEY] : []), ...ofAll];
  return [...inPath, ...inQuery, ...inHeader.map((header) => ({ ...header, in: 'header' }))];
}

const IDEMPOTENCY_KEY: HeaderParameter = {
  name: 'Idempotency-Key',
  description: 'Makes retries safe for 24 hours: they return the first reply, except after a 409 or a server error',
  schema: { type: 'string', maxLength: 255 },
};
const BOOKMARK: HeaderParameter = {
  name: 'X-D1-Bookmark',
  description: 'The bookmark from an earlier reply. The request then reads at least the state of that reply',
  schema: { type: 'string' },
};

function queryParameters(schema: Json): Json[] {
  const required = (schema.required as string[] | undefined) ?? [];
  return Object.entries(schema.properties as Record<string, Json>).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: property,
  }));
}

function bodyOf(schema: z.ZodType, example: unknown): Json {
  const json = toJsonSchema(schema, 'input');
  const required = ((json.required as string[] | undefined) ?? []).length > 0;
  return { required, content: { 'application/json': { schema: json, ...(example ? { example } : {}) } } };
}

function fileOf({ types, description }: NonNullable<Operation['file']>): Json {
  const file = { schema: { type: 'string', format: 'binary' }, example: '(bytes of the file)' };
  return { required: true, description, content: Object.fromEntries(types.map((type) => [type, file])) };
}

function replyOf(reply: Operation['replies'][number], status: number, headers: Json): Json {
  if (!reply.schema) return { description: reply.description, headers };
  const schema = toJsonSchema(reply.schema, 'output');
  const { description, type = 'application/json' } = reply;
  const made = type === 'application/json' ? exampleOf(schema) : undefined;
  // The description and status in an envelope depend on the operation.
  const isEnvelope = 'statusCode' in ((schema.properties as Json | undefined) ?? {});
  const example = reply.example ?? (isEnvelope ? { ...(made as Json), description, statusCode: status } : made);
  return { description, headers, content: { [type]: { schema, example } } };
}

/** Parts of a JSON Schema that an example uses. */
interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  examples?: unknown[];
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  maxItems?: number;
  anyOf?: Schema[];
}

const BY_TYPE: Record<string, unknown> = { string: 'text', integer: 0, number: 0, boolean: false, null: null };
const BY_FORMAT: Record<string, unknown> = { uuid: PASS_ID_EXAMPLE, 'date-time': '2027-01-31T08:30:00.000Z' };

/**
 * Returns an example of a schema: its own, or one built from its parts. Optional members are included if they have one.
 */
export function exampleOf(schema: Schema): unknown {
  const { examples, anyOf, items, properties = {}, required = [] } = schema;
  // A nullable type without an example of its own becomes null.
  const type = Array.isArray(schema.type) ? schema.type.at(-1) : schema.type;
  if (examples) return examples[0];
  if (anyOf) return exampleOf(anyOf.find(hasExample) ?? anyOf.at(-1)!);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (type === 'array') return items && schema.maxItems !== 0 ? [exampleOf(items)] : [];
  if (type === 'object') {
    const shown = Object.entries(properties).filter(([name, member]) => required.includes(name) || hasExample(member));
    return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(member)]));
  }
  return BY_FORMAT[schema.format ?? ''] ?? BY_TYPE[type ?? 'string'];
}

function hasExample({ examples, anyOf = [], items, properties = {} }: Schema): boolean {
  const parts = [...anyOf, ...(items ? [items] : []), ...Object.values(properties)];
  return examples !== undefined || parts.some(hasExample);
}
