import type { Context } from '../context.ts';
import { RetryLater } from '../jobs.ts';
import type { GooglePaceObject } from './rate-limiter-object.ts';

/** Longest wait within a job; beyond it, another message takes the job up at its time. */
const PATIENCE_MS = 2_000;

/** Thrown where the rate limit of an issuer is reached: nothing has failed, and `afterSeconds` is booked for it. */
export class AwaitTurn extends RetryLater {
  constructor(afterSeconds: number) {
    super(afterSeconds, 'Google Wallet: the rate limit of the issuer is reached');
    this.name = 'AwaitTurn';
  }
}

/**
 * Waits until `calls` requests to a Google issuer, named by our row, are within the rate that all jobs share. Throws
 * `AwaitTurn` when the wait is too long.
 */
export async function waitForCapacity(ctx: Context, issuerRowId: string, calls: number): Promise<void> {
  const waitMs = await limiterOf(ctx, issuerRowId).take(calls, PATIENCE_MS);
  if (waitMs > PATIENCE_MS) throw new AwaitTurn(Math.ceil(waitMs / 1_000));
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
}

/** Books `calls` requests to an issuer ahead, and returns the milliseconds until the first should be made. */
export async function bookCapacity(ctx: Context, issuerRowId: string, calls: number): Promise<number> {
  return await limiterOf(ctx, issuerRowId).book(calls);
}

function limiterOf({ env }: Context, issuerRowId: string) {
  const objects = env.GOOGLE_PACE as DurableObjectNamespace<GooglePaceObject>;
  return objects.get(objects.idFromName(issuerRowId));
}
