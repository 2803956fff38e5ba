import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

interface DocumentedReply {
  $ref?: string;
  content?: Record<string, { schema?: JsonSchema }>;
}

interface Documented {
  method: string;
  pattern: RegExp;
  parameters: number;
  responses: Record<string, DocumentedReply>;
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, DocumentedReply> }>>;
  components: Record<string, Record<string, unknown>>;
}

/** Tells developers how to fix a mismatch. */
const CONTRACT = 'test/openapi.json documents it (`npm run contract` writes it from the `replies` of the route)';

let known: { document: Document; operations: Documented[] } | undefined;
const schemas = new WeakMap<object, z.ZodType>();

/**
 * Returns how a reply deviates from the committed contract document, or undefined: a status that its operation lacks,
 * or a body that doesn't match the schema. Requests that match no operation are ignored.
 */
export function undocumented(
  request: { method: string; path: string },
  reply: { status: number; body: unknown },
): string | undefined {
  known ??= load();
  const { document } = known;
  const operation = known.operations.find(
    ({ method, pattern }) => method === request.method && pattern.test(request.path),
  );
  if (!operation) return undefined;
  const documented = resolve(document, operation.responses[reply.status]);
  if (!documented) return `status ${reply.status} is not as ${CONTRACT}: the operation has no such status`;
  const [content] = Object.entries(documented.content ?? {});
  if (!content) return reply.body === undefined ? undefined : `status ${reply.status} is documented without a body`;
  const [type, { schema }] = content;
  if (typeof schema !== 'object' || type !== 'application/json') return undefined;
  const { error } = compile(document, schema).safeParse(reply.body);
  return error && `status ${reply.status} is not as ${CONTRACT}:\n${z.prettifyError(error)}`;
}

function load() {
  const text = readFileSync(join(import.meta.dirname, '..', 'openapi.json'), 'utf8');
  const document: Document = JSON.parse(text);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`),
      parameters: path.split('{').length,
      responses,
    })),
  );
  // `/pass/bulk` comes before `/pass/{id}`, like in the service.
  return { document, operations: operations.sort((a, b) => a.parameters - b.parameters) };
}

function resolve<T extends object>(document: Document, part: (T & { $ref?: string }) | undefined): T | undefined {
  const [, kind, name] = /^#\/components\/(\w+)\/(\w+)$/.exec(part?.$ref ?? '') ?? [];
  return kind && name ? (document.components[kind]?.[name] as T) : part;
}

function compile(document: Document, schema: object): z.ZodType {
  const target = resolve(document, schema) as object;
  const compiled = schemas.get(target) ?? z.fromJSONSchema(target as JsonSchema);
  schemas.set(target, compiled);
  return compiled;
}
