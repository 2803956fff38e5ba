import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { ApiEnv } from './api-env.ts';

/** Replaces the path of a request that no route matched: a path can hold a secret, which must not be logged. */
const UNMATCHED = 'unmatched';

/** Returns the pattern of the route that handled a request, or would have if nothing before it had answered. */
export function matchedRoute(c: Context<ApiEnv>): string {
  // Handlers for all methods are middleware before the routes, or fallbacks behind them.
  return c.var.route ?? matchedRoutes(c).find(({ method }) => method !== 'ALL')?.path ?? UNMATCHED;
}
