/** JSON Schema (2020-12) in an OpenAPI 3.1 document, limited to the members that the reference shows. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
  description?: string;
  deprecated?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  not?: Schema;
  example?: unknown;
}

/** Schemas by their `$ref`: `#/components/schemas/<name>`. */
export type NamedSchemas = Record<string, Schema>;

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Schema;
}

export interface Content {
  type: string;
  schema?: Schema;
  example?: unknown;
}

export interface Reply {
  status: number;
  description: string;
  content?: Content;
}

/** An operation as shown on the page. */
export interface ContractOperation {
  /** The operationId, which is also the anchor. */
  id: string;
  method: string;
  path: string;
  /** API version of the path. */
  version: number;
  summary: string;
  description?: string;
  deprecated: boolean;
  /** Whether requests need an API key. */
  secured: boolean;
  /** Required scope of the API key. */
  scope?: string;
  parameters: Parameter[];
  body?: Content & { required: boolean };
  /** Replies with a status below 400. */
  replies: Reply[];
  /** Replies with a status of 400 or higher. */
  failures: Reply[];
}

export interface ContractGroup {
  name: string;
  /** Anchor. */
  slug: string;
  description?: string;
  operations: ContractOperation[];
}

/** An event and its payload. */
export interface ContractEvent {
  /** The operationId, which is also the anchor. */
  id: string;
  /** Name of the event. */
  type: string;
  summary: string;
  description?: string;
  parameters: Parameter[];
  body?: Content;
}

export interface Contract {
  title: string;
  version: string;
  description: string;
  groups: ContractGroup[];
  events: ContractEvent[];
  schemas: NamedSchemas;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

interface DocumentedOperation {
  operationId: string;
  summary: string;
  description?: string;
  deprecated?: boolean;
  tags?: string[];
  security?: unknown[];
  'x-required-scope'?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: MediaTypes };
  responses?: Record<string, DocumentedReply | { $ref: string }>;
}

interface DocumentedReply {
  description: string;
  content?: MediaTypes;
}

type MediaTypes = Record<string, { schema?: Schema; example?: unknown }>;

type Document = {
  info: { title: string; version: string; description?: string };
  tags?: { name: string; description?: string }[];
  security?: unknown[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  webhooks?: Record<string, { post: DocumentedOperation }>;
  components?: { schemas?: NamedSchemas; responses?: Record<string, DocumentedReply> };
};

/**
 * Converts an OpenAPI 3.1 document for the page. Operations are grouped by tag, in the order of the document's tag
 * list, followed by unlisted tags by name. Within a tag, the newest API version comes first.
 */
export function readContract(document: Record<string, unknown>): Contract {
  const { info, tags = [], security = [], paths, webhooks = {}, components } = document as Document;
  const named = prefixed('responses', components?.responses ?? {});
  const groups = new Map<string, ContractGroup>();
  const groupOf = (name: string, description?: string) => {
    const slug = `tag-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
    const group = groups.get(name) ?? { name, slug, description, operations: [] };
    groups.set(name, group);
    return group;
  };
  for (const { name, description } of tags) groupOf(name, description);
  const documented = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ method, path, operation: item[method]! })),
  );
  const tagOf = ({ operation }: (typeof documented)[number]) => operation.tags?.[0] ?? 'Other';
  for (const name of documented.map(tagOf).sort((a, b) => a.localeCompare(b))) groupOf(name);
  for (const each of documented) {
    const { method, path, operation } = each;
    groupOf(tagOf(each)).operations.push(arranged(method.toUpperCase(), path, operation, { security, named }));
  }
  for (const { operations } of groups.values()) operations.sort((a, b) => b.version - a.version);
  return {
    title: info.title,
    version: info.version,
    description: info.description ?? '',
    groups: [...groups.values()].filter(({ operations }) => operations.length > 0),
    events: Object.entries(webhooks).map(([type, { post }]) => arrangedEvent(type, post)),
    schemas: prefixed('schemas', components?.schemas ?? {}),
  };
}

function arrangedEvent(type: string, operation: DocumentedOperation): ContractEvent {
  const { operationId: id, summary, description, parameters = [], requestBody } = operation;
  return { id, type, summary, description, parameters, body: firstContent(requestBody?.content) };
}

function arranged(
  method: string,
  path: string,
  operation: DocumentedOperation,
  { security, named }: { security: unknown[]; named: Record<string, DocumentedReply> },
): ContractOperation {
  const replies = Object.entries(operation.responses ?? {}).map(([status, reply]): Reply => {
    const { description, content } = '$ref' in reply ? named[reply.$ref]! : reply;
    return { status: Number(status), description, content: firstContent(content) };
  });
  const body = firstContent(operation.requestBody?.content);
  return {
    id: operation.operationId,
    method,
    path,
    version: Number(/^\/api\/v(\d+)\//.exec(path)?.[1] ?? 1),
    summary: operation.summary,
    description: operation.description,
    deprecated: operation.deprecated ?? false,
    secured: (operation.security ?? security).length > 0,
    scope: operation['x-required-scope'],
    parameters: operation.parameters ?? [],
    body: body && { ...body, required: operation.requestBody?.required ?? false },
    replies: replies.filter(({ status }) => status < 400),
    failures: replies.filter(({ status }) => status >= 400),
  };
}

function firstContent(content: MediaTypes | undefined): Content | undefined {
  const [first] = Object.entries(content ?? {});
  return first && { type: first[0], ...first[1] };
}

/** Returns components by their `$ref`. */
function prefixed<T>(kind: string, parts: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [`#/components/${kind}/${name}`, part]));
}
