import { Hono } from 'hono';
import type { ApiEnv } from '../api/api-env.ts';
import { observe } from '../api/observe.ts';
import { secureHeaders } from '../api/secure-headers.ts';
import { retryAfter, toFailure } from '../api/status.ts';

/**
 * Creates an app without routes, with the middleware and error handling that all surfaces share. Error pages are loaded
 * when one is shown.
 */
export function newApp(): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.onError(async (error, c) => {
    const { status, messages } = toFailure(error, c);
    if (status === 429 && !c.req.path.startsWith('/api/')) {
      const { tooManyReply } = await import('../pages/download/route.tsx');
      const page = await tooManyReply(c as never);
      if (page) return page;
    }
    return c.json({ ErrorMessage: messages.join('; ') }, status);
  });
  app.notFound(async (c) => {
    if (c.req.method === 'GET' && !c.req.path.startsWith('/api/')) {
      const { strayReply } = await import('../pages/home/route.tsx');
      const page = await strayReply(c);
      if (page) return page;
    }
    return c.json({ ErrorMessage: 'Object not found' }, 404);
  });
  app.use(observe, secureHeaders, retryAfter);
  return app;
}

/** Surfaces declare only the variables that they use. Hono's types don't accept them as part of the full set. */
export function mounted<E extends { Variables: object }>(surface: Hono<E>): Hono<ApiEnv> {
  return surface as unknown as Hono<ApiEnv>;
}
