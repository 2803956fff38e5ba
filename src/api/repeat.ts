import type { Handler, Hono, Context as HonoContext } from 'hono';
import { METHOD_NAME_ALL } from 'hono/router';
import { type AccountContext, inAccount } from '../domain/context.ts';
import { followMoves } from '../domain/databases/follow-moves.ts';
import { retryUntilSettled } from '../platform/transient-error.ts';
import type { ApiEnv } from './api-env.ts';

/**
 * Runs the handler of each route again after a transient D1 error, or after the account moved to another database. IDs
 * stay the same and `writeOnce` finds what was written, as with an `Idempotency-Key`. Middleware runs once. For routes
 * of every surface; mount them afterwards.
 */
export function repeatHandlers(routes: Hono<ApiEnv>): Hono<ApiEnv> {
  for (const [i, route] of routes.routes.entries()) {
    const next = routes.routes[i + 1];
    // The last entry of a path is its handler. Those before it document and check, and `use` applies to any method.
    const isLast = next?.path !== route.path || next.method !== route.method;
    if (isLast && route.method !== METHOD_NAME_ALL) route.handler = repeatHandler(route.handler);
  }
  return routes;
}

function repeatHandler(handler: Handler<ApiEnv>): Handler<ApiEnv> {
  return (c, next) => {
    const since = Date.now();
    const identifiers = new Map<string, string>();
    changeContexts(c, () => ({ identifiers }));
    const base = c.get('baseContext');
    return followMoves(base, (move) => {
      if (move > 1) moveContexts(c);
      return retryUntilSettled((attempt) => {
        if (attempt > 1 || move > 1) markAsRepeat(c, since);
        return handler(c, next);
      });
    });
  };
}

function markAsRepeat(c: HonoContext<ApiEnv>, since: number): void {
  changeContexts(c, ({ requestId, repeatable }) => ({
    repeatable: { seed: requestId, since, ...repeatable, isRepeat: true },
  }));
}

/** Moves the contexts of an account that has moved to its new database. */
function moveContexts(c: HonoContext<ApiEnv>): void {
  for (const name of ['ctx', 'acting'] as readonly 'ctx'[]) {
    const ctx: AccountContext | undefined = c.get(name);
    if (ctx?.account) c.set(name, inAccount(ctx, ctx.account.id));
  }
}

/** Names of the context variables: before the caller is known, after that, and the console's context of an account. */
const CONTEXTS = ['baseContext', 'ctx', 'acting'] as const;

function changeContexts(c: HonoContext<ApiEnv>, change: (ctx: AccountContext) => Partial<AccountContext>): void {
  for (const name of CONTEXTS as readonly 'ctx'[]) {
    const ctx: AccountContext | undefined = c.get(name);
    if (ctx) c.set(name, { ...ctx, ...change(ctx) });
  }
}
