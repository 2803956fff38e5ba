import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { METHOD_NAME_ALL } from 'hono/router';
import { findTargetHandler } from 'hono/utils/handler';
import { authenticate, digestOfKey } from '../domain/api-keys/authenticate.ts';
import { grants } from '../domain/api-keys/scopes.ts';
import { actingFor } from '../domain/context.ts';
import { DomainError } from '../domain/errors.ts';
import { callerNetwork, openBySecret } from '../domain/rate-limits.ts';
import type { ApiEnv } from './api-env.ts';
import { type Operation, operationOf } from './operation.ts';
import { declaredReadAhead } from './read-ahead.ts';

/**
 * Admits only requests with an active API key (`Authorization: <KEY>` or `Bearer <KEY>`) and sets their account.
 * Refuses an address that sent too many invalid keys before it queries the database.
 */
export const requireKey: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const key = sentKey(c.req.header('Authorization'));
  // An empty key isn't a guess, so it doesn't count as one and needs no query.
  if (key === '') throw unauthorized();
  const readAhead = await declaredReadAhead(c);
  const caller = await openBySecret(c.env, 'key', callerNetwork(c.req.raw, c.env), {
    digest: () => digestOfKey(key),
    open: () => authenticate(c.var.baseContext, key, readAhead, matchedOperation(c)),
    digestOf: ({ keyDigest }) => keyDigest,
  });
  if (!caller) throw unauthorized();
  const actor = { type: 'api_key', id: caller.apiKeyId, name: caller.keyName } as const;
  const account = { ...caller.account, templateIds: caller.rights.templateIds ?? undefined };
  c.set('ctx', { ...actingFor(caller.ctx, account), actor });
  c.set('apiKeyId', caller.apiKeyId);
  c.set('rights', caller.rights);
  c.set('requestQuotas', caller.requestQuotas);
  c.set('ahead', caller.ahead);
  await next();
};

/** Returns the key in the header, with or without `Bearer`; empty if there is none. */
export function sentKey(header: string | undefined): string {
  return (header?.trim() ?? '').replace(/^Bearer(\s+|$)/i, '');
}

function unauthorized(): DomainError {
  return new DomainError('unauthorized', 'Missing or invalid API key');
}

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
function matchedOperation(c: Context<ApiEnv>): Operation | undefined {
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
