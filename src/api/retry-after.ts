import type { MiddlewareHandler } from 'hono';
import { DomainError } from '../domain/errors.ts';
import type { ApiEnv } from './api-env.ts';

const DEFAULT_S = 60;

/** Says in every 429 and 503, whatever surface has made it, when the caller may come back. */
export const retryAfter: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  if (![429, 503].includes(c.res.status) || c.res.headers.has('Retry-After')) return;
  const seconds = c.error instanceof DomainError ? c.error.retryAfterSeconds : undefined;
  c.header('Retry-After', String(seconds ?? DEFAULT_S));
};
