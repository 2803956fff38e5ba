import type { Context } from '../domain/context.ts';
import { type JobOf, RetryLater, retryDelay } from '../domain/jobs.ts';
import { claimPushes, type PushClaim, postponePushes, settlePushes } from '../domain/pushes/claim-pushes.ts';
import { randomToken } from '../platform/ids.ts';
import { pushToGoogle } from './google/push.ts';

/**
 * Job: sends a changed pass to Google Wallet, and the text for its holder; a second delivery finds nothing
 * to do. Throws when Google is to be asked again.
 */
export async function pushPassToGoogle(ctx: Context, job: JobOf<'push-to-google'>): Promise<void> {
  const { accountId, passId } = job;
  const claim: PushClaim = { accountId, wallet: 'google', passIds: [passId], claim: randomToken() };
  const [claimed] = await claimPushes(ctx, claim);
  if (!claimed) return;
  try {
    await pushToGoogle(ctx, job, claimed.text === null ? {} : { text: claimed.text });
    await settlePushes(ctx, claim);
  } catch (error) {
    const asked = error instanceof RetryLater ? error.afterSeconds : 0;
    await postponePushes(ctx, claim, retryDelay(claimed.attempts, asked));
    throw error;
  }
}
