import type { Context } from '../context.ts';
import { RetryLater } from '../jobs.ts';
import type { GooglePaceObject } from './rate-limiter-object.ts';

/** Longest wait within a job. After a longer one, another message continues the job. */
const WAIT_MS_MAX = 2_000;

/** Thrown if an issuer's rate limit is reached. Nothing failed, and capacity is booked for `afterSeconds` later. */
export class RateLimitWait extends RetryLater {
  constructor(afterSeconds: number) {
    super(afterSeconds, 'Google Wallet: the rate limit of the issuer is reached');
    this.name = 'RateLimitWait';
  }
}

/**
 * Waits until `calls` requests to a Google issuer, identified by our row, are within the rate that all jobs share.
 * Throws `RateLimitWait` if the wait is too long.
 */
export async function waitForCapacity(ctx: Context, issuerRowId: string, calls: number): Promise<void> {
  const waitMs = await limiterOf(ctx, issuerRowId).take(calls, WAIT_MS_MAX);
  if (waitMs > WAIT_MS_MAX) throw new RateLimitWait(Math.ceil(waitMs / 1_000));
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
}

/** Books `calls` requests to an issuer ahead. Returns the milliseconds until the first one. */
export async function bookCapacity(ctx: Context, issuerRowId: string, calls: number): Promise<number> {
  return await limiterOf(ctx, issuerRowId).book(calls);
}

function limiterOf({ env }: Context, issuerRowId: string) {
  const objects = env.GOOGLE_PACE as DurableObjectNamespace<GooglePaceObject>;
  return objects.get(objects.idFromName(issuerRowId));
}
