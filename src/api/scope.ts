import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { METHOD_NAME_ALL } from 'hono/router';
import { findTargetHandler } from 'hono/utils/handler';
import { grants } from '../domain/api-keys/scopes.ts';
import { DomainError } from '../domain/errors.ts';
import type { ApiEnv } from './api-env.ts';
import { type Operation, operationOf } from './operation.ts';

/**
 * Refuses a request whose key lacks the operation's scope, or is restricted to templates where the operation covers the
 * whole account. Runs before the body is read and kept replies are looked up, so a key never gets the reply of a
 * request that it may not send. Fails for a route that doesn't say which scope it needs.
 */
export const requireScope: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const operation = matchedOperation(c);
  if (operation ? !operation.scope && !operation.open : matchesRoute(c)) {
    throw new Error(`${c.req.method} ${operation?.id ?? 'without an operation'} names no scope`);
  }
  const { scope, isAccountWide } = operation ?? {};
  if (scope && !grants(c.var.rights.scopes, scope)) throw new DomainError('forbidden', `missing scope: ${scope}`);
  if (isAccountWide && c.var.rights.templateIds)
    throw new DomainError('forbidden', 'not available to an API key that is restricted to templates');
  await next();
};

/** Returns the operation of the route that handles a request, before it does. */
export function matchedOperation(c: Context<ApiEnv>): Operation | undefined {
  for (const { handler } of matchedRoutes(c)) {
    const operation = operationOf(findTargetHandler(handler));
    if (operation) return operation;
  }
  return undefined;
}

/** Handlers for all methods are middleware before the routes, or fallbacks behind them. */
function matchesRoute(c: Context<ApiEnv>): boolean {
  return matchedRoutes(c).some(({ method }) => method !== METHOD_NAME_ALL);
}
