import type { MiddlewareHandler } from 'hono';
import { type Context, databaseOfShard } from '../domain/context.ts';
import { DomainError, fieldIssue } from '../domain/errors.ts';
import { releaseImages } from '../domain/images/hold-images.ts';
import { isBookmark, openDatabase } from '../platform/db.ts';
import type { Env } from '../platform/env.ts';
import { logLine } from '../platform/log.ts';
import type { ApiEnv } from './api-env.ts';
import { matchedRoute } from './matched-route.ts';

/**
 * Opens the request's context, stamps `X-Request-Id` on the reply, and writes the request's log line with its cost in
 * D1. A caller's `X-D1-Bookmark` decides which state reads must at least see.
 */
export const observe: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const startedAt = performance.now();
  const requestId = crypto.randomUUID();
  const { context, bookmark } = openContext(c.env, c.req.raw, requestId, (work) => c.executionCtx.waitUntil(work));
  c.set('baseContext', context);
  await next();
  // Behind the handler: one that returns a response of its own would drop what was set before.
  c.header('X-Request-Id', requestId);
  const state = c.var.apiKeyId === undefined ? null : bookmark();
  if (state) c.header('X-D1-Bookmark', state);
  logLine('info', {
    event: 'request',
    requestId,
    account: context.meter.accountId ?? undefined,
    method: c.req.method,
    route: matchedRoute(c),
    status: c.res.status,
    durationMs: Math.round((performance.now() - startedAt) * 100) / 100,
    d1RoundTrips: context.meter.roundTrips,
    rowsRead: context.meter.rowsRead,
    rowsWritten: context.meter.rowsWritten,
  });
  context.waitUntil(releaseImages(context));
};

/** The context of an HTTP request, before its caller is known. */
function openContext(env: Env, request: Request, requestId: string, waitUntil: Context['waitUntil']) {
  const sent = request.headers.get('X-D1-Bookmark') ?? undefined;
  const asked = sent && isBookmark(sent) ? sent : undefined;
  const opened = openDatabase(databaseOfShard(env, 0), asked);
  const baseUrl = env.BASE_URL || new URL(request.url).origin;
  const { db, meter } = opened;
  const ip = request.headers.get('CF-Connecting-IP') ?? undefined;
  const context: Context = { env, db, meter, stateAsked: asked, baseUrl, requestId, ip, waitUntil };
  return { context, bookmark: opened.bookmark };
}

/** Refuses a bookmark that D1 would not understand, once errors have a shape. */
export const checkBookmark: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const sent = c.req.header('X-D1-Bookmark');
  if (sent !== undefined && !isBookmark(sent))
    throw new DomainError('invalid', fieldIssue('X-D1-Bookmark', 'is not a bookmark'));
  await next();
};
