import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { findTargetHandler } from 'hono/utils/handler';
import { grants } from '../domain/api-keys/scopes.ts';
import { DomainError } from '../domain/errors.ts';
import type { ApiEnv } from './api-env.ts';
import { operationOf } from './operation.ts';

/**
 * Refuses a request whose key lacks the operation's scope, or is restricted to templates where the operation covers the
 * whole account. Runs before the body is read and kept replies are looked up, so a key never gets the reply of a
 * request that it may not send.
 */
export const requireScope: MiddlewareHandler<ApiEnv> = async (c, next) => {
  for (const { handler } of matchedRoutes(c)) {
    const { scope, isAccountWide } = operationOf(findTargetHandler(handler)) ?? {};
    if (scope === undefined) continue;
    if (!grants(c.var.rights.scopes, scope)) throw new DomainError('forbidden', `missing scope: ${scope}`);
    if (isAccountWide && c.var.rights.templateIds)
      throw new DomainError('forbidden', 'not available to an API key that is restricted to templates');
    break;
  }
  await next();
};
