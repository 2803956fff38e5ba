import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../settings.ts';

/** A JSON Schema in the contract, with the keywords it uses. */
export interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  maxItems?: number;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  not?: Schema;
  /** Name of the type generated for it. */
  typeName?: string;
}

export interface Content {
  schema?: Schema;
  example?: unknown;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface DocumentedOperation {
  operationId: string;
  summary: string;
  description?: string;
  deprecated?: boolean;
  tags: string[];
  security?: unknown[];
  'x-required-scope'?: string;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Content> };
  responses: Record<string, { description?: string; content?: Record<string, Content> }>;
}

/** The contract, as `test/openapi.json` holds it. */
export interface Contract {
  info: { title: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  webhooks: Record<string, { post: DocumentedOperation }>;
}

/** An operation with its method and path. */
export interface ContractOperation extends DocumentedOperation {
  method: string;
  path: string;
}

/** Reads the committed contract. */
export function readContract(): Contract {
  return JSON.parse(readFileSync(join(ROOT, 'test', 'openapi.json'), 'utf8')) as Contract;
}

/** Returns all operations of the contract, in order. */
export function operationsOf({ paths }: Contract): ContractOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
}

/** Returns the parameters in one location. */
export function parametersIn({ parameters = [] }: ContractOperation, place: Parameter['in']): Parameter[] {
  return parameters.filter((parameter) => parameter.in === place);
}

/** Returns the contents of successful replies, one per schema; a reply without a body is `undefined`. */
export function successContents({ responses }: ContractOperation): ([type: string, content: Content] | undefined)[] {
  return Object.entries(responses)
    .filter(([status]) => /^[23]/.test(status))
    .map(([, { content }]) => Object.entries(content ?? {})[0]);
}

/** Returns the media types of a request body that is a file, not JSON. */
export function fileTypes({ requestBody }: ContractOperation): string[] {
  const types = Object.keys(requestBody?.content ?? {});
  return types.includes('application/json') ? [] : types;
}
