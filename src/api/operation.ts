import { zValidator } from '@hono/zod-validator';
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import * as z from 'zod';
import type { Scope } from '../domain/api-keys/scopes.ts';
import { checked, invalidInput } from '../domain/check.ts';
import { PAGE_SIZE_MAX } from '../domain/limits.ts';
import type { ApiEnv } from './api-env.ts';
import { parseObject } from './body.ts';

/** What the contract document says of one route, beside what its validators say. */
export interface Operation {
  /** Unique in the document; the name that client generators use. */
  id: string;
  summary: string;
  description?: string;
  tag: string;
  /** What a key needs for it; absent where no key is needed. */
  scope?: Scope;
  /** Whether it is about more than templates and what they have: keys that are restricted to templates get a 403. */
  wholeAccount?: boolean;
  deprecated?: boolean;
  /** Example of the request body. */
  example?: unknown;
  /** Types of the file that it takes in place of JSON. */
  file?: { types: readonly string[]; description: string };
  /** Success replies by status; `schema` absent: no body. `example` absent: made of the schema. */
  replies: Record<number, { description: string; schema?: z.ZodType; example?: unknown; type?: string }>;
  /** Statuses of failures beyond those that its method brings; absent: 404 where the path names something. */
  failures?: number[];
  /** What 409 means here, beside a key that is still in use. */
  conflict?: string;
  /** Headers that it reads beside those that every operation shares. */
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

/** What `validate` checks; read by `openapi.ts`. */
export interface Validation {
  target: 'json' | 'query' | 'param';
  schema: z.ZodType;
}

const PAGE_SIZE_HINT = `must be an integer from 1 to ${PAGE_SIZE_MAX}`;

/** A boolean of a query string. */
export const Flag = z.stringbool({ error: 'must be true or false' }).meta({ enum: ['true', 'false'] });

/** The number of items of a page, as a query says it. */
export const PageSize = z.coerce
  .number(PAGE_SIZE_HINT)
  .int(PAGE_SIZE_HINT)
  .min(1, PAGE_SIZE_HINT)
  .max(PAGE_SIZE_MAX, PAGE_SIZE_HINT)
  .default(PAGE_SIZE_MAX);

const operations = new WeakMap<object, Operation>();
const validations = new WeakMap<object, Validation>();

/** Documents a route. Stands first behind its path; also notes for the log which route was matched. */
export function operation(doc: Operation): MiddlewareHandler<ApiEnv> {
  const handler: MiddlewareHandler<ApiEnv> = (c, next) => {
    c.set('route', routePath(c));
    return next();
  };
  operations.set(handler, doc);
  return handler;
}

/** What `validate` leaves for handlers. */
export type ValidInput<T extends Validation['target'], S extends z.ZodType> = {
  in: { [K in T]: z.input<S> };
  out: { [K in T]: z.output<S> };
};

/** Checks one part of a request; handlers read it with `c.req.valid(target)`. Failures are 400 and name each field. */
export function validate<T extends Validation['target'], S extends z.ZodType>(target: T, schema: S) {
  const handler =
    target === 'json'
      ? jsonValidator(schema)
      : zValidator(target, schema, (result) => {
          if (!result.success) throw invalidInput(result.error.issues);
        });
  validations.set(handler, { target, schema });
  // Hono's types cannot follow which of the two validators it is; what a handler reads is the schema's output in both.
  return handler as unknown as MiddlewareHandler<ApiEnv, string, ValidInput<T, S>>;
}

/** Hono's own JSON validator takes a body without a content type for empty; ours reads what `readBody` kept. */
function jsonValidator(schema: z.ZodType): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    c.req.addValidatedData('json', checked(schema, parseObject(c.var.rawBody)) as object);
    await next();
  };
}

/** `operation` for routes that have these members in common. */
export function operationsWith<Common extends Partial<Operation>>(common: Common) {
  return (doc: Omit<Operation, keyof Common> & Partial<Operation>) => operation({ ...common, ...doc } as Operation);
}

/** The documentation of a handler, if it is one of `operation`'s. */
export function operationOf(handler: object): Operation | undefined {
  return operations.get(handler);
}

/** The validation of a handler, if it is one of `validate`'s. */
export function validationOf(handler: object): Validation | undefined {
  return validations.get(handler);
}
