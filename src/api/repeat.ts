import type { Context, Handler, Hono } from 'hono';
import { untilSettled } from '../platform/with-retries.ts';
import type { ApiEnv } from './api-env.ts';

/**
 * Lets the handler of each route run again after a transient error of D1, as if its caller had repeated the request
 * under an `Idempotency-Key`: with the same identifiers, and `writeOnce` looks for what stands already.
 */
export function repeatHandlers(routes: Hono<ApiEnv>): Hono<ApiEnv> {
  for (const [i, route] of routes.routes.entries()) {
    const next = routes.routes[i + 1];
    // The last of a path is its handler; those before it document and check.
    const isHandler = next?.path !== route.path || next.method !== route.method;
    if (isHandler) route.handler = repeated(route.handler);
  }
  return routes;
}

function repeated(handler: Handler<ApiEnv>): Handler<ApiEnv> {
  return (c, next) => {
    const since = Date.now();
    c.set('ctx', { ...c.var.ctx, identifiers: new Map() });
    return untilSettled((attempt) => {
      if (attempt > 1) beginAgain(c, since);
      return handler(c, next);
    });
  };
}

function beginAgain(c: Context<ApiEnv>, since: number): void {
  const { ctx } = c.var;
  c.set('ctx', { ...ctx, repeatable: { seed: ctx.requestId, since, ...ctx.repeatable, isRepeat: true } });
}
