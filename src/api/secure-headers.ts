import type { MiddlewareHandler } from 'hono';
import type { ApiEnv } from './api-env.ts';

/** One year, the minimum for browsers' preload lists. */
const HSTS = 'max-age=31536000';

/**
 * Sets the headers that every reply needs, unless its surface set them: no sniffing, HTTPS from now on, and no caching
 * of API replies.
 */
export const secureHeaders: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  const { headers } = c.res;
  if (!headers.has('X-Content-Type-Options')) c.header('X-Content-Type-Options', 'nosniff');
  if (c.var.baseContext.baseUrl.startsWith('https:')) c.header('Strict-Transport-Security', HSTS);
  const isPrivate = c.req.path.startsWith('/api/') || headers.get('Content-Type')?.includes('json');
  if (isPrivate && !headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
};
