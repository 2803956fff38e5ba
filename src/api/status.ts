import type { Context, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { DomainError, describeIssue, ERROR_STATUS } from '../domain/errors.ts';
import { beingMoved, moveRefusal } from '../domain/moved.ts';
import { describeError, logLine } from '../platform/log.ts';
import { isTransient, RetriesExhausted } from '../platform/transient-error.ts';
import type { ApiEnv } from './api-env.ts';
import { matchedRoute } from './matched-route.ts';

/** The parts of an error body: the status, and messages that are safe to show. */
interface Failure {
  status: ContentfulStatusCode;
  messages: string[];
}

/** Methods that may be repeated whatever the result of the first request (RFC 9110 §9.2.2). */
const IDEMPOTENT = ['GET', 'HEAD', 'PUT', 'DELETE'];
/** Seconds to wait while the database is overloaded. */
const OVERLOADED_S = 5;

/**
 * Turns anything thrown into a failure. Unknown errors are logged, and their reply doesn't describe them. After a
 * transient error, the reply allows a retry if a retry is safe.
 */
export function toFailure(thrown: unknown, c: Context<ApiEnv>): Failure {
  // Middleware also writes, and it doesn't run again after a move.
  const error = moveRefusal(thrown) ? beingMoved() : thrown;
  if (error instanceof DomainError)
    return { status: ERROR_STATUS[error.kind], messages: error.issues.map(describeIssue) };
  if (error instanceof HTTPException && error.status < 500) {
    return { status: error.status as ContentfulStatusCode, messages: [error.message || 'Bad request'] };
  }
  const requestId = c.var.baseContext?.requestId;
  logLine('error', { event: 'error', requestId, route: matchedRoute(c), error: describeError(error) });
  const canRepeat = IDEMPOTENT.includes(c.req.method) || c.req.header('Idempotency-Key') !== undefined;
  if (isPassing(error) && canRepeat && c.req.method !== 'PATCH') {
    c.header('Retry-After', String(OVERLOADED_S));
    return { status: 503, messages: [`The service is overloaded; try again soon (request ${requestId})`] };
  }
  return { status: 500, messages: [`Internal server error (request ${requestId})`] };
}

const DEFAULT_S = 60;
/** Roughly the duration of an account move. Middleware can run into one, and its error states no time. */
const DEFAULT_UNAVAILABLE_S = 2;

/** Sets `Retry-After` on every 429 and 503, whatever surface replies with it. */
export const retryAfter: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  if (![429, 503].includes(c.res.status) || c.res.headers.has('Retry-After')) return;
  const seconds = c.error instanceof DomainError ? c.error.retryAfterSeconds : undefined;
  c.header('Retry-After', String(seconds ?? (c.res.status === 503 ? DEFAULT_UNAVAILABLE_S : DEFAULT_S)));
};

/** Returns whether an error shows that D1 or a Durable Object is overloaded or unreachable, which is temporary. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The runtime sets this on an error of a Durable Object (Cloudflare, "Error handling").
  const { overloaded }: { overloaded?: boolean } & Error = error;
  return error instanceof RetriesExhausted || overloaded === true || isTransient(error) || isPassing(error.cause);
}
