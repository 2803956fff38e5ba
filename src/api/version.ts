import { type ErrorHandler, Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { DomainError, notFound } from '../domain/errors.ts';
import type { ApiEnv } from './api-env.ts';
import { requireKey, requireScope } from './auth.ts';
import { readBody } from './body.ts';
import { idempotency } from './idempotency.ts';
import { checkBookmark } from './observe.ts';
import { limitRate } from './rate-limit.ts';
import { repeatHandlers } from './repeat.ts';

/**
 * Creates a version of the API: the shared middleware, then its routes by path prefix, of which the first match wins.
 * `onError` shapes every error, including unknown paths (404) and wrong methods (405).
 */
export function apiVersion(onError: ErrorHandler<ApiEnv>, routes: [path: string, routes: Hono<ApiEnv>][]) {
  const app = new Hono<ApiEnv>();
  app.onError(onError);
  app.use(requireKey, limitRate, requireScope, checkBookmark, readBody, idempotency);
  const onMethodNotAllowed: Parameters<typeof methodNotAllowed<ApiEnv>>[0]['onMethodNotAllowed'] = (c, methods) => {
    const allowed = methods.filter((method) => method !== 'HEAD').join(', ');
    c.header('Allow', allowed);
    const message = `${c.req.method} is not allowed here; allowed: ${allowed}`;
    return onError(new DomainError('method_not_allowed', message), c);
  };
  app.use(methodNotAllowed<ApiEnv>({ app, onMethodNotAllowed }));
  for (const [path, each] of routes) app.route(path, repeatHandlers(each));
  app.all('*', (c) => onError(notFound(), c));
  return app;
}
