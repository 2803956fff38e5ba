import type { MiddlewareHandler } from 'hono';
import type { ApiEnv } from './api-env.ts';

/** A year, which is what browsers' preload lists ask for at least. */
const HSTS = 'max-age=31536000';

/**
 * Headers that every reply needs and that its surface has not set: no sniffing, HTTPS from now on, and no copies of the
 * API's replies.
 */
export const secureHeaders: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  const { headers } = c.res;
  if (!headers.has('X-Content-Type-Options')) c.header('X-Content-Type-Options', 'nosniff');
  if (c.var.baseContext.baseUrl.startsWith('https:')) c.header('Strict-Transport-Security', HSTS);
  const isPrivate = c.req.path.startsWith('/api/') || headers.get('Content-Type')?.includes('json');
  if (isPrivate && !headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
};
