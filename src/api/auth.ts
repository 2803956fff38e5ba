import type { MiddlewareHandler } from 'hono';
import { authenticate } from '../domain/api-keys/authenticate.ts';
import { actingFor } from '../domain/context.ts';
import { DomainError } from '../domain/errors.ts';
import type { ApiEnv } from './api-env.ts';

/** Lets only requests with a live API key pass, and hands their account on: `Authorization: <KEY>` or `Bearer <KEY>`. */
export const requireKey: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const header = c.req.header('Authorization')?.trim() ?? '';
  const caller = await authenticate(c.var.baseContext, header.replace(/^Bearer\s+/i, ''), c.var.ahead?.queries);
  if (!caller) throw new DomainError('unauthorized', 'Missing or invalid API key');
  c.set('ctx', actingFor(c.var.baseContext, caller.account));
  c.set('apiKeyId', caller.apiKeyId);
  c.set('requestQuotas', caller.requestQuotas);
  c.set('aheadResults', caller.alongside);
  await next();
};
