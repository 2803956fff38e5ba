import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { ApiEnv } from './api-env.ts';

/** Stands for the path of a request that no route took: a path can hold a secret, which no log may keep. */
const UNMATCHED = 'unmatched';

/** Pattern of the route that took a request, or would have if nothing before it had refused or answered. */
export function matchedRoute(c: Context<ApiEnv>): string {
  // What is mounted for all methods goes before the routes, or stands behind them for what none of them takes.
  return c.var.route ?? matchedRoutes(c).find(({ method }) => method !== 'ALL')?.path ?? UNMATCHED;
}
