import { zValidator } from '@hono/zod-validator';
import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import * as z from 'zod';
import type { Scope } from '../domain/api-keys/scopes.ts';
import { checked, invalidInput } from '../domain/check.ts';
import { invalidField } from '../domain/errors.ts';
import { PAGE_SIZE_MAX } from '../domain/limits.ts';
import type { ApiEnv } from './api-env.ts';
import { parseObject } from './body.ts';

/** Documentation of a route in the contract, in addition to its validations. */
export interface Operation {
  /** Unique in the document; the name that client generators use. */
  id: string;
  summary: string;
  description?: string;
  tag: string;
  /** Scope that a key needs. Absent: no key is needed. */
  scope?: Scope;
  /** Whether it reaches beyond templates and what belongs to them. Keys that are restricted to templates get a 403. */
  isAccountWide?: boolean;
  deprecated?: boolean;
  /** Example of the request body. */
  example?: unknown;
  /** Content types of the file that it takes instead of JSON. */
  file?: { types: readonly string[]; description: string };
  /**
   * Success replies by status. Without `schema`, there is no body; without `example`, one is generated from the schema.
   */
  replies: Record<number, { description: string; schema?: z.ZodType; example?: unknown; type?: string }>;
  /** Failure statuses beyond those of its method. Absent: 404 if the path has parameters. */
  failures?: number[];
  /** Meaning of 409 here, besides an idempotency key that is still in use. */
  conflict?: string;
  /** Request headers beyond those of every operation. */
  headers?: HeaderParameter[];
  /** Whether it answers without a key. */
  open?: boolean;
}

/** A header of a request, for the contract document. */
export interface HeaderParameter {
  name: string;
  description: string;
  schema: { type: 'string'; [keyword: string]: unknown };
}

/** A check by `validate`, which `openapi.ts` reads. */
export interface Validation {
  target: 'json' | 'query' | 'param';
  schema: z.ZodType;
}

const PAGE_SIZE_HINT = `must be an integer from 1 to ${PAGE_SIZE_MAX}`;

/** A boolean in a query string. */
export const Flag = z.stringbool({ error: 'must be true or false' }).meta({ enum: ['true', 'false'] });

/** The number of items per page in a query string. */
export const PageSize = z.coerce
  .number(PAGE_SIZE_HINT)
  .int(PAGE_SIZE_HINT)
  .min(1, PAGE_SIZE_HINT)
  .max(PAGE_SIZE_MAX, PAGE_SIZE_HINT)
  .default(PAGE_SIZE_MAX);

const operations = new WeakMap<object, Operation>();
const validations = new WeakMap<object, Validation>();

/** Documents a route and must be its first handler. Also records the matched route for the log. */
export function operation(doc: Operation): MiddlewareHandler<ApiEnv> {
  const handler: MiddlewareHandler<ApiEnv> = (c, next) => {
    c.set('route', routePath(c));
    return next();
  };
  operations.set(handler, doc);
  return handler;
}

/** Type of the validated input that handlers read. */
export type ValidInput<T extends Validation['target'], S extends z.ZodType> = {
  in: { [K in T]: z.input<S> };
  out: { [K in T]: z.output<S> };
};

/** Checks one part of a request; handlers read it with `c.req.valid(target)`. Failures are 400 and name each field. */
export function validate<T extends Validation['target'], S extends z.ZodType>(target: T, schema: S) {
  const handler =
    target === 'json'
      ? jsonValidator(schema)
      : zValidator(target, schema, (result, c) => {
          if (result.success) return;
          if (target === 'query') refuseRepeated(c, result.error.issues);
          throw invalidInput(result.error.issues);
        });
  validations.set(handler, { target, schema });
  // Hono's types can't tell which of the two validators this is. With both, handlers read the schema's output.
  return handler as unknown as MiddlewareHandler<ApiEnv, string, ValidInput<T, S>>;
}

/** Throws `invalid` for a wrong parameter that was sent more than once, because its schema reads a single text. */
function refuseRepeated(c: Context, issues: z.core.$ZodIssue[]): void {
  const repeated = issues.map(({ path }) => String(path[0])).find((name) => (c.req.queries(name)?.length ?? 0) > 1);
  if (repeated !== undefined) throw invalidField(repeated, 'must be sent only once');
}

/** Hono's JSON validator treats a body without a content type as empty. This one reads what `readBody` kept. */
function jsonValidator(schema: z.ZodType): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    c.req.addValidatedData('json', checked(schema, parseObject(c.var.rawBody)) as object);
    await next();
  };
}

/** Returns a variant of `operation` for routes that share these members. */
export function operationsWith<Common extends Partial<Operation>>(common: Common) {
  return (doc: Omit<Operation, keyof Common> & Partial<Operation>) => operation({ ...common, ...doc } as Operation);
}

/** Returns the documentation of a handler that `operation` created. */
export function operationOf(handler: object): Operation | undefined {
  return operations.get(handler);
}

/** Returns the validation of a handler that `validate` created. */
export function validationOf(handler: object): Validation | undefined {
  return validations.get(handler);
}
