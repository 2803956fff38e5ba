import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { findTargetHandler } from 'hono/utils/handler';
import type * as z from 'zod';
import type { KeyInCheck } from '../domain/api-keys/authenticate.ts';
import { DomainError } from '../domain/errors.ts';
import { type BatchPart, EMPTY_PART } from '../platform/batch-part.ts';
import type { ApiEnv } from './api-env.ts';
import { parseObject, startReading } from './body.ts';
import { type ValidInput, validate } from './operation.ts';

type Target = 'json' | 'query';
type PathParameters = Record<string, string>;
type Read<T> = (key: KeyInCheck) => BatchPart<T>;

/** For each handler of `readAhead`: turns a request into its part of the batch. Invalid input reads nothing. */
const declarations = new WeakMap<object, (c: Context<ApiEnv>, path: PathParameters) => Promise<Read<unknown>>>();

const NOTHING: Read<never> = () => EMPTY_PART;

/**
 * Validates like `validate`, and declares what a route reads in the round trip that checks the key. The handler finds
 * the result in `c.var.ahead`. The key may be wrong: each query of `part` must reach the account through `ownerOfKey`.
 */
export function readAhead<T extends Target, S extends z.ZodType, R>(
  target: T,
  schema: S,
  part: (key: KeyInCheck, input: z.output<S>, path: PathParameters) => BatchPart<R>,
) {
  const handler = validate(target, schema);
  declarations.set(handler, async (c, path) => {
    const input = schema.safeParse(await readInput(target, c));
    return input.success ? (key) => ignoreDomainError(() => part(key, input.data, path)) : NOTHING;
  });
  type AheadEnv = ApiEnv & { Variables: { ahead: R } };
  // A handler runs only for input that passed `validate`, and such input has a part.
  return handler as unknown as MiddlewareHandler<AheadEnv, string, ValidInput<T, S>>;
}

/** Returns what the matched route reads ahead. Invalid input is reported later, and only to valid keys. */
export async function declaredReadAhead(c: Context<ApiEnv>): Promise<Read<unknown>> {
  for (const [index, { handler }] of matchedRoutes(c).entries()) {
    const declared = declarations.get(findTargetHandler(handler));
    if (declared) return declared(c, pathParameters(c, index)).catch(() => NOTHING);
  }
  return NOTHING;
}

/** A part refuses input by throwing. The handler reports that later, and only to valid keys. */
function ignoreDomainError<R>(part: () => BatchPart<R>): BatchPart<R> {
  try {
    return part();
  } catch (error) {
    if (error instanceof DomainError) return EMPTY_PART;
    throw error;
  }
}

/** Returns the path parameters of the matched route at `index`. Hono itself returns those of the running handler. */
function pathParameters({ req }: Context<ApiEnv>, index: number): PathParameters {
  const { routeIndex } = req;
  req.routeIndex = index;
  const parameters = req.param();
  req.routeIndex = routeIndex;
  return parameters;
}

async function readInput(target: Target, c: Context<ApiEnv>): Promise<unknown> {
  if (target === 'query') return c.req.query();
  c.set('bodyReading', startReading(c));
  await c.var.bodyReading;
  return parseObject(c.var.rawBody);
}
