import type { MiddlewareHandler } from 'hono';
import { tooManyRequests } from '../domain/errors.ts';
import { takeRequest } from '../domain/quotas/take-request.ts';
import { quotaExceeded } from '../domain/quotas/use.ts';
import type { ApiEnv } from './api-env.ts';

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
