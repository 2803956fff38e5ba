import type { Context } from '../context.ts';
import { RetryLater } from '../jobs.ts';
import type { GooglePaceObject } from './rate-limiter-object.ts';

/** Longest wait within a job; beyond it, the queue delivers the job again at its time. */
const PATIENCE_MS = 2_000;

/**
 * Waits until `calls` requests to a Google issuer, named by our row, are within the rate that all jobs share. `name`
 * identifies the caller across calls. Throws `RetryLater` with the time when the wait is too long; the reservation is
 * kept.
 */
export async function waitForCapacity(ctx: Context, issuerRowId: string, name: string, calls: number): Promise<void> {
  const objects = ctx.env.GOOGLE_PACE as DurableObjectNamespace<GooglePaceObject>;
  const waitMs = await objects.get(objects.idFromName(issuerRowId)).reserve(name, calls, PATIENCE_MS);
  if (waitMs > PATIENCE_MS)
    throw new RetryLater(Math.ceil(waitMs / 1_000), 'Google Wallet: the rate limit of the issuer is reached');
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
}
