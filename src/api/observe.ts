import type { MiddlewareHandler } from 'hono';
import { shardOfKey } from '../domain/api-keys/authenticate.ts';
import { bookmarkOf, type Context, contextOf, inDirectory } from '../domain/context.ts';
import { refreshMap } from '../domain/databases/follow-moves.ts';
import { DomainError, fieldIssue } from '../domain/errors.ts';
import { releaseImages } from '../domain/images/hold-images.ts';
import { recordMetric, requestsPerPoint } from '../domain/metrics/record-metric.ts';
import { tryAddress } from '../domain/service-settings/read-address.ts';
import { isBookmark } from '../platform/db.ts';
import type { Env } from '../platform/env.ts';
import { logLine } from '../platform/log.ts';
import type { ApiEnv } from './api-env.ts';
import { sentKey } from './auth.ts';
import { matchedRoute } from './matched-route.ts';

/**
 * Creates the request's context, sets `X-Request-Id` on the reply, and logs the request with its cost in D1. A caller's
 * `X-D1-Bookmark` sets the oldest state that reads may see.
 */
export const observe: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const startedAt = performance.now();
  const requestId = crypto.randomUUID();
  const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
  await tryAddress({ env: c.env, requestId, waitUntil });
  const context = contextOfRequest(c.env, c.req.raw, requestId, waitUntil);
  c.set('baseContext', context);
  await next();
  // Set after the handler: one that returns its own response would drop headers set before.
  c.header('X-Request-Id', requestId);
  const state = c.var.apiKeyId === undefined ? null : bookmarkOf(c.var.ctx);
  if (state) c.header('X-D1-Bookmark', state);
  const { accountId, roundTrips, rowsRead, rowsWritten } = context.meter;
  const { method } = c.req;
  const { status } = c.res;
  const route = matchedRoute(c);
  const durationMs = Math.round((performance.now() - startedAt) * 100) / 100;
  logLine('info', {
    event: 'request',
    requestId,
    account: accountId ?? undefined,
    method,
    route,
    status,
    durationMs,
    d1RoundTrips: roundTrips,
    rowsRead,
    rowsWritten,
  });
  const oneIn = requestsPerPoint(route, status);
  const costs = { durationMs, roundTrips, rowsRead, rowsWritten };
  recordMetric(context, { kind: 'request', name: route, outcome: status, method, accountId, oneIn, ...costs });
  context.waitUntil(releaseImages(context));
  refreshMap(context);
};

/** Returns the context of a request before its caller is known: in the shard that its key names, or in the first. */
function contextOfRequest(env: Env, request: Request, requestId: string, waitUntil: Context['waitUntil']) {
  const sent = request.headers.get('X-D1-Bookmark') ?? undefined;
  const stateAsked = sent && isBookmark(sent) ? sent : undefined;
  const ip = request.headers.get('CF-Connecting-IP') ?? undefined;
  const shard = shardOfKey(sentKey(request.headers.get('Authorization') ?? undefined));
  return contextOf(env, shard, { stateAsked, baseUrl: new URL(request.url).origin, requestId, ip, waitUntil });
}

/** Sets the context of the directory: pages have no caller with a key. */
export const useDirectory: MiddlewareHandler<ApiEnv> = (c, next) => {
  c.set('ctx', inDirectory(c.var.baseContext) as never);
  return next();
};

/** Refuses a bookmark that D1 would not understand. Runs where errors have the shape of their version. */
export const checkBookmark: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const sent = c.req.header('X-D1-Bookmark');
  if (sent !== undefined && !isBookmark(sent))
    throw new DomainError('invalid', fieldIssue('X-D1-Bookmark', 'is not a bookmark'));
  await next();
};
