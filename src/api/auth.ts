import type { MiddlewareHandler } from 'hono';
import { authenticate, lookupOf } from '../domain/api-keys/authenticate.ts';
import { actingFor } from '../domain/context.ts';
import { DomainError } from '../domain/errors.ts';
import { Lru } from '../platform/lru.ts';
import { callerAddress, isBarred, noteFailure, RETRY_AFTER_S } from '../platform/rate-limits.ts';
import type { ApiEnv } from './api-env.ts';

/** Keys that this isolate has found good: their callers go on beside somebody who guesses keys from the same address. */
const goodKeys = new Lru<true>(10_000);

/**
 * Lets only requests with a live API key pass, and hands their account on: `Authorization: <KEY>` or `Bearer <KEY>`. An address that has sent too many invalid keys is refused before the database is asked.
 */
export const requireKey: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const key = (c.req.header('Authorization')?.trim() ?? '').replace(/^Bearer\s+/i, '');
  const lookup = lookupOf(key);
  const address = callerAddress(c.req.raw, c.env);
  if (isBarred('key', address) && !(lookup && goodKeys.get(lookup))) {
    c.header('Retry-After', String(RETRY_AFTER_S));
    throw new DomainError('too_many_requests', 'Too many requests with an invalid API key; try again later');
  }
  const caller = await authenticate(c.var.baseContext, key, c.var.ahead?.queries);
  if (!caller) {
    await noteFailure(c.env, 'key', address);
    throw new DomainError('unauthorized', 'Missing or invalid API key');
  }
  goodKeys.set(lookup!, true);
  c.set('ctx', actingFor(c.var.baseContext, caller.account));
  c.set('apiKeyId', caller.apiKeyId);
  c.set('requestQuotas', caller.requestQuotas);
  c.set('aheadResults', caller.alongside);
  await next();
};
