import type { MiddlewareHandler } from 'hono';
import { DomainError } from '../domain/errors.ts';
import type { ApiEnv } from './api-env.ts';

const DEFAULT_S = 60;
/** Roughly the duration of an account move. Middleware can run into one, and its error states no time. */
const DEFAULT_UNAVAILABLE_S = 2;

/** Sets `Retry-After` on every 429 and 503, whatever surface replies with it. */
export const retryAfter: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  if (![429, 503].includes(c.res.status) || c.res.headers.has('Retry-After')) return;
  const seconds = c.error instanceof DomainError ? c.error.retryAfterSeconds : undefined;
  c.header('Retry-After', String(seconds ?? (c.res.status === 503 ? DEFAULT_UNAVAILABLE_S : DEFAULT_S)));
};
