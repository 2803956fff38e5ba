import type { Handler, Hono, Context as HonoContext } from 'hono';
import { METHOD_NAME_ALL } from 'hono/router';
import { type AccountContext, inAccount } from '../domain/context.ts';
import { followMoves } from '../domain/databases/follow-moves.ts';
import { untilSettled } from '../platform/with-retries.ts';
import type { ApiEnv } from './api-env.ts';

/**
 * Lets the handler of each route run again after a transient error of D1, as if its caller had repeated the request
 * under an `Idempotency-Key`: with the same identifiers, and `writeOnce` looks for what stands already. Also where the
 * account has moved to another database. Middleware runs once. For routes of every surface; mount them afterwards.
 */
export function repeatHandlers(routes: Hono<ApiEnv>): Hono<ApiEnv> {
  for (const [i, route] of routes.routes.entries()) {
    const next = routes.routes[i + 1];
    // The last of a path is its handler; those before it document and check, and `use` is for any method.
    const isLast = next?.path !== route.path || next.method !== route.method;
    if (isLast && route.method !== METHOD_NAME_ALL) route.handler = repeated(route.handler);
  }
  return routes;
}

function repeated(handler: Handler<ApiEnv>): Handler<ApiEnv> {
  return (c, next) => {
    const since = Date.now();
    const identifiers = new Map<string, string>();
    changeContexts(c, () => ({ identifiers }));
    const base = c.get('baseContext');
    return followMoves(base, (move) => {
      if (move > 1) goWhereAccountsLive(c);
      return untilSettled((attempt) => {
        if (attempt > 1 || move > 1) beginAgain(c, since);
        return handler(c, next);
      });
    });
  };
}

function beginAgain(c: HonoContext<ApiEnv>, since: number): void {
  changeContexts(c, ({ requestId, repeatable }) => ({
    repeatable: { seed: requestId, since, ...repeatable, isRepeat: true },
  }));
}

/** Contexts that act for an account which has moved away go on in its new home. */
function goWhereAccountsLive(c: HonoContext<ApiEnv>): void {
  for (const name of ['ctx', 'acting'] as readonly 'ctx'[]) {
    const ctx: AccountContext | undefined = c.get(name);
    if (ctx?.account) c.set(name, inAccount(ctx, ctx.account.id));
  }
}

/** What surfaces call the context: before the caller is known, and then; in the console that of an account besides. */
const CONTEXTS = ['baseContext', 'ctx', 'acting'] as const;

function changeContexts(c: HonoContext<ApiEnv>, change: (ctx: AccountContext) => Partial<AccountContext>): void {
  for (const name of CONTEXTS as readonly 'ctx'[]) {
    const ctx: AccountContext | undefined = c.get(name);
    if (ctx) c.set(name, { ...ctx, ...change(ctx) });
  }
}
