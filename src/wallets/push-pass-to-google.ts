import type { Context } from '../domain/context.ts';
import { RateLimitWait } from '../domain/google-rate-limit/wait-for-capacity.ts';
import { asResumable, type JobOf, RetryLater, retryDelay } from '../domain/jobs.ts';
import type { PassFact } from '../domain/pass-facts/append-facts.ts';
import { encodeFact } from '../domain/pass-facts/facts.ts';
import {
  carriedFacts,
  claimPushes,
  isRequested,
  newClaim,
  type PushClaim,
  postponeForRateLimit,
  postponePushes,
  settlePushes,
} from '../domain/pushes/claim-pushes.ts';
import type { PendingPush } from '../domain/pushes/table.ts';
import { type GoogleAnswer, publishToGoogle, pushToGoogle } from './google/push.ts';

/**
 * Job: sends a changed pass and the text for its holder to Google Wallet. A second delivery finds nothing to do. Throws
 * if it must be retried; a push over the rate limit is left to a later message.
 */
export async function pushPassToGoogle(
  ctx: Context,
  job: JobOf<'push-to-google'>,
  send: typeof pushToGoogle = pushToGoogle,
): Promise<void> {
  const claim = claimOf(job, 'google');
  const [claimed] = await claimPushes(ctx, claim);
  if (!claimed) return;
  await finish(ctx, { claim, job, claimed }, () => send(ctx, job, claimed.text === null ? {} : { text: claimed.text }));
}

/**
 * Job: inserts the object of a pass that we haven't sent to Google yet. Also works without a row, for example on a
 * manual retry. Throws like `pushPassToGoogle`.
 */
export async function publishPassToGoogle(ctx: Context, job: JobOf<'publish-to-google'>): Promise<void> {
  const claim = claimOf(job, 'publication');
  const [claimed] = await claimPushes(ctx, claim);
  const publish = () => publishToGoogle(ctx, job);
  if (!claimed) {
    if (!(await isRequested(ctx, claim))) await publish();
    return;
  }
  await finish(ctx, { claim, job, claimed }, publish);
}

type GoogleJob = JobOf<'push-to-google'> | JobOf<'publish-to-google'>;

function claimOf({ accountId, passId }: GoogleJob, wallet: PendingPush['wallet']): PushClaim {
  return { accountId, wallet, passIds: [passId], claims: [newClaim()] };
}

/** A row that a job has claimed. */
interface Held {
  claim: PushClaim;
  job: GoogleJob;
  claimed: { passId: string; attempts: number; facts: string | null };
}

async function finish(
  ctx: Context,
  { claim, job, claimed }: Held,
  work: () => Promise<GoogleAnswer | undefined>,
): Promise<void> {
  const factOf = (answer: GoogleAnswer): PassFact => ({
    passId: claimed.passId,
    fact: encodeFact({ type: 'google_answered', at: Date.now(), ...answer }),
  });
  try {
    const answer = await work();
    await settlePushes(ctx, claim, [...carriedFacts([claimed]), ...(answer ? [factOf(answer)] : [])]);
  } catch (error) {
    if (error instanceof RateLimitWait) return await postponeForRateLimit(ctx, claim, job, error.afterSeconds);
    const isAsked = error instanceof RetryLater;
    const facts = isAsked ? [factOf({ outcome: 'postponed' })] : [];
    await postponePushes(ctx, claim, retryDelay(claimed.attempts, isAsked ? error.afterSeconds : 0), facts);
    throw asResumable(error);
  }
}
