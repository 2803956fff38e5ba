import type { Hono } from 'hono';
import { findTargetHandler } from 'hono/utils/handler';
import { z } from 'zod';
import type { ApiEnv } from './api-env.ts';
import { envelopeSchema, envelopeV3Schema, NoData } from './envelope.ts';
import { toJsonSchema } from './json-schema.ts';
import { type Operation, operationOf, type Validation, validationOf } from './operation.ts';
import { ACCESS_TOKEN_SCHEME, webhookDocuments } from './webhooks.ts';

type Json = Record<string, unknown>;

interface DocumentedRoute {
  method: string;
  path: string;
  operation: Operation;
  validations: Validation[];
}

const SHARED_FAILURES = [400, 401, 429];
const FAILURE_TEXTS: Record<number, string> = {
  400: 'A field or rule is not met; the message names it',
  401: 'Missing or invalid API key',
  404: 'Unknown, or of another account',
  409: 'The first request with this Idempotency-Key is still running',
  422: 'This Idempotency-Key was used for a different request',
  429: 'Too many requests; `Retry-After` says when to come back',
};

let built: Json | undefined;

/** The OpenAPI 3.1 document of everything that is mounted in `app`; built once, at the first request for it. */
export function openApiDocument(app: Hono<ApiEnv>): Json {
  built ??= {
    openapi: '3.1.0',
    info: {
      title: 'Pass wallet service',
      version: '1.0.0',
      description:
        'Issues, updates, delivers, validates and deletes digital wallet passes made from templates. Every request carries the API key in `Authorization`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [],
    paths: pathsOf(documentedRoutes(app)),
    webhooks: webhookDocuments(),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'Authorization' },
        accessToken: ACCESS_TOKEN_SCHEME,
      },
      schemas: {
        ErrorV1: toJsonSchema(z.object({ ErrorMessage: z.string() }), 'output'),
        ErrorV2: toJsonSchema(envelopeSchema(NoData), 'output'),
        ErrorV3: toJsonSchema(envelopeV3Schema(NoData), 'output'),
      },
      headers: HEADERS,
    },
  };
  return built;
}

const text = (description: string) => ({ description, schema: { type: 'string' } });
const HEADERS = {
  'X-Request-Id': text('Names the request; also stands in the service’s log'),
  'X-D1-Bookmark': text('Send it back to read at least what this reply has written or seen'),
  'RateLimit-Policy': text('Quota and window of the key'),
};

function documentedRoutes(app: Hono<ApiEnv>): DocumentedRoute[] {
  const routes = new Map<string, DocumentedRoute & { documented: boolean }>();
  for (const { method, path, handler } of app.routes) {
    const target = findTargetHandler(handler);
    const operation = operationOf(target);
    const validation = validationOf(target);
    if (!operation && !validation) continue;
    const key = `${method} ${path}`;
    const route = routes.get(key) ?? {
      method,
      path,
      validations: [],
      documented: false,
      operation: undefined as never,
    };
    if (operation) route.operation = operation;
    if (validation) route.validations.push(validation);
    routes.set(key, route);
  }
  return [...routes.values()].filter((route) => route.operation).sort((a, b) => a.path.localeCompare(b.path));
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
  const failures = [...SHARED_FAILURES, ...(operation.failures ?? []), ...(method === 'POST' ? [409, 422] : [])];
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    ...(operation.deprecated ? { deprecated: true } : {}),
    tags: [operation.tag],
    parameters: parametersOf(path, method, validations),
    ...(json ? { requestBody: bodyOf(json.schema, operation.example) } : {}),
    responses: {
      ...Object.fromEntries(Object.entries(operation.replies).map(([status, reply]) => [status, replyOf(reply)])),
      ...Object.fromEntries([...new Set(failures)].sort().map((status) => [status, failureOf(path, status)])),
    },
  };
}

function parametersOf(path: string, method: string, validations: Validation[]): Json[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = validations
    .filter((validation) => validation.target === 'query')
    .flatMap(({ schema }) => queryParameters(toJsonSchema(schema, 'input')));
  const inHeader = {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes the request repeatable for 24 hours',
    schema: { type: 'string', maxLength: 255 },
  };
  return [...inPath, ...inQuery, ...(method === 'POST' ? [inHeader] : [])];
}

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

function replyOf(reply: Operation['replies'][number]): Json {
  if (!reply.schema) return { description: reply.description, headers: headerRefs() };
  const content = {
    schema: toJsonSchema(reply.schema, 'output'),
    ...(reply.example ? { example: reply.example } : {}),
  };
  return {
    description: reply.description,
    headers: headerRefs(),
    content: { [reply.type ?? 'application/json']: content },
  };
}

function headerRefs(): Json {
  return Object.fromEntries(Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function failureOf(path: string, status: number): Json {
  const version = /^\/api\/v([23])\//.exec(path)?.[1] ?? '1';
  return {
    description: FAILURE_TEXTS[status],
    content: { 'application/json': { schema: { $ref: `#/components/schemas/ErrorV${version}` } } },
  };
}
