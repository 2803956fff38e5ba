import type { Context } from '../context.ts';
import { RetryLater } from '../jobs.ts';
import type { GooglePaceObject } from './pace-object.ts';

/** What a job waits by itself; beyond, the queue delivers it again at its turn. */
const PATIENCE_MS = 2_000;

/**
 * Waits until `calls` requests may be made for a Google issuer, named by our row, whose pace is kept over all jobs.
 * `name` tells the asker apart, and is the same when it asks again. Throws `RetryLater` with the time when its turn is
 * too far away to wait for; the turn is kept.
 */
export async function takeTurn(ctx: Context, issuerRowId: string, name: string, calls: number): Promise<void> {
  const objects = ctx.env.GOOGLE_PACE as DurableObjectNamespace<GooglePaceObject>;
  const waitMs = await objects.get(objects.idFromName(issuerRowId)).turn(name, calls, PATIENCE_MS);
  if (waitMs > PATIENCE_MS)
    throw new RetryLater(Math.ceil(waitMs / 1_000), 'Google Wallet: the issuer has no turn yet');
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
}
