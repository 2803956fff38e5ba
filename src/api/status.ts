import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { DomainError, describeIssue, ERROR_STATUS } from '../domain/errors.ts';
import { beingMoved, moveRefusal } from '../domain/moved.ts';
import { describeError, logLine } from '../platform/log.ts';
import { isPassing } from '../platform/passing-error.ts';
import type { ApiEnv } from './api-env.ts';
import { matchedRoute } from './matched-route.ts';

/** The parts of an error body: the status, and messages that are safe to show. */
export interface Failure {
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
