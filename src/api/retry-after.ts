import type { MiddlewareHandler } from 'hono';
import { DomainError } from '../domain/errors.ts';
import type { ApiEnv } from './api-env.ts';

const DEFAULT_S = 60;
/** An account moves for about so long; middleware may have met it, whose error says nothing more. */
const DEFAULT_UNAVAILABLE_S = 2;

/** Says in every 429 and 503, whatever surface has made it, when the caller may come back. */
export const retryAfter: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  if (![429, 503].includes(c.res.status) || c.res.headers.has('Retry-After')) return;
  const seconds = c.error instanceof DomainError ? c.error.retryAfterSeconds : undefined;
  c.header('Retry-After', String(seconds ?? (c.res.status === 503 ? DEFAULT_UNAVAILABLE_S : DEFAULT_S)));
};
