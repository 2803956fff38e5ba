import { type Context, type ErrorHandler, Hono, type MiddlewareHandler, type Next } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import type { StatusCode } from 'hono/utils/http-status';
import { isUnlimited } from '../domain/api-keys/rights.ts';
import { DomainError, invalidField, notFound, tooManyRequests } from '../domain/errors.ts';
import { type ClaimedKey, claimRequest, keepReply, releaseRequest } from '../domain/idempotency/idempotent-requests.ts';
import { takeRequest } from '../domain/quotas/take-request.ts';
import { quotaExceeded } from '../domain/quotas/use.ts';
import { sha256 } from '../platform/crypto.ts';
import { describeError, logLine } from '../platform/log.ts';
import type { ApiEnv } from './api-env.ts';
import { requireKey, requireScope } from './auth.ts';
import { readBody } from './body.ts';
import { checkBookmark } from './observe.ts';
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

const KEY_CHARS_MAX = 255;

/** Makes POST requests with an `Idempotency-Key` repeatable: a repeat gets the first reply again. */
export const idempotency: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const key = c.req.header('Idempotency-Key');
  if (key === undefined || c.req.method !== 'POST') return next();
  if (key === '' || key.length > KEY_CHARS_MAX) {
    throw invalidField('Idempotency-Key', `must have 1 to ${KEY_CHARS_MAX} characters`);
  }
  const { ctx } = c.var;
  const url = new URL(c.req.url);
  // A key with limited rights must not get a reply that was for another key, which may show more.
  const caller = isUnlimited(c.var.rights) ? [] : [c.var.apiKeyId];
  const digest = await sha256(JSON.stringify([c.req.method, url.pathname, url.search, c.var.rawBody, ...caller]));
  const { kept, repeatable, claimed } = await claimRequest(ctx, key, digest);
  if (kept) {
    // Hono's context adds the headers of this request, such as its rate limit.
    const headers = { ...kept.headers, 'Idempotent-Replayed': 'true' };
    return c.newResponse(kept.body || null, { status: kept.status as StatusCode, headers });
  }
  c.set('ctx', { ...ctx, repeatable });
  const work = runAndKeep(c, next, claimed);
  // When a caller disconnects, the platform cancels work outside `waitUntil` (Workers, "Duration"). The key would look
  // as if its request were still running, and a later repeat would do the work again.
  ctx.waitUntil(work.catch(() => undefined));
  await work;
};

/**
 * Runs the first request with a key and keeps its reply. Releases the key if a repeat should try again: after an error
 * of the service, a conflict (409), or too many requests (429), which are temporary.
 */
async function runAndKeep(c: Context<ApiEnv>, next: Next, claimed: ClaimedKey): Promise<void> {
  const { ctx } = c.var;
  await next();
  const { status } = c.res;
  if (status >= 500 || status === 409 || status === 429) return releaseRequest(ctx, claimed);
  const contentType = c.res.headers.get('Content-Type');
  const headers: Record<string, string> = contentType ? { 'Content-Type': contentType } : {};
  try {
    await keepReply(ctx, claimed, { status, headers, body: await c.res.clone().text() });
  } catch (error) {
    // The request took effect, and the caller must get its reply.
    logLine('error', { event: 'reply-not-kept', requestId: ctx.requestId, error: describeError(error) });
  }
}

/** Period of the Rate Limiting binding; it offers 10 or 60 seconds. */
const WINDOW_S = 60;

/**
 * Admits RATE_LIMIT_PER_MINUTE requests per minute and key, and as many per account as its quota allows. Every reply
 * states the policy (IETF draft-ietf-httpapi-ratelimit-headers-11); a 429 states when to retry. The binding counts in
 * memory, so this adds no round trip.
 */
export const limitRate: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const { RATE_LIMITER, RATE_LIMIT_PER_MINUTE } = c.env;
  c.header('RateLimit-Policy', `"default";q=${RATE_LIMIT_PER_MINUTE};w=${WINDOW_S}`);
  const { success } = await RATE_LIMITER.limit({ key: c.var.apiKeyId });
  if (!success) {
    c.header('RateLimit', `"default";r=0;t=${WINDOW_S}`);
    throw tooManyRequests(`More than ${RATE_LIMIT_PER_MINUTE} requests a minute; try again later`, WINDOW_S);
  }
  const waitSeconds = await takeRequest(c.var.ctx, c.var.requestQuotas);
  if (waitSeconds > 0) throw tooManyRequests(quotaExceeded('requests').message, waitSeconds);
  await next();
};
