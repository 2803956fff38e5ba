import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routePath } from 'hono/route';
import type { Context } from '../../domain/context.ts';
import { DomainError, ERROR_STATUS, invalid } from '../../domain/errors.ts';
import { attempt, callerNetwork } from '../../domain/rate-limits.ts';
import type { Env } from '../../platform/env.ts';
import { parseJson } from '../../platform/json.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { CALLBACK_PATH } from './pass-class.ts';
import { KeysUnavailable, takeCallback } from './verify-callback.ts';

interface CallbackEnv {
  Bindings: Env;
  Variables: { baseContext: Context; route: string };
}

const BODY_BYTES_MAX = 16 * 1024;

const limitBody = bodyLimit({
  maxSize: BODY_BYTES_MAX,
  onError: () => {
    throw new DomainError('too_large', `The request body is larger than ${BODY_BYTES_MAX} bytes`);
  },
});

/**
 * Receives reports of saves and removals, at the URL that classes name in `callbackOptions`. A message is authenticated
 * by its signature.
 */
export const googleCallbackRoutes = new Hono<CallbackEnv>().post(CALLBACK_PATH, limitBody, async (c) => {
  c.set('route', routePath(c));
  const body = parseJson(await c.req.text());
  const network = callerNetwork(c.req.raw, c.env);
  await attempt(c.env, 'google', network, async () => {
    if (body === undefined) throw invalid('The request body is not valid JSON');
    await takeCallback(c.var.baseContext, body);
  });
  c.header('Cache-Control', 'no-store');
  return c.body(null, 200);
});

googleCallbackRoutes.onError((error, c) => {
  const { requestId } = c.var.baseContext;
  c.set('route', CALLBACK_PATH);
  if (error instanceof DomainError) return c.text(error.message, ERROR_STATUS[error.kind]);
  logLine('error', { event: 'error', requestId, route: CALLBACK_PATH, error: describeError(error) });
  // Google retries a callback that isn't answered with 200.
  if (error instanceof KeysUnavailable) return c.text('Google’s keys are not available now; try again later', 503);
  return c.text(`Internal server error (request ${requestId})`, 500);
});
