import type { GoogleIssuer } from '../../domain/certificates/table.ts';
import { type Context, inAccount } from '../../domain/context.ts';
import { RateLimitWait, waitForCapacity } from '../../domain/google-rate-limit/wait-for-capacity.ts';
import { asResumable, type JobOf, RetryLater, retryDelay } from '../../domain/jobs.ts';
import type { PassFact } from '../../domain/pass-facts/append-facts.ts';
import { encodeFact, type Fact } from '../../domain/pass-facts/facts.ts';
import { withToken } from '../../domain/passes/card/kept-text.ts';
import {
  findDueGoogleObject,
  type NamedPass,
  postponeGoogleEnd,
  recordGoogleEnd,
} from '../../domain/passes/deletion/tombstones.ts';
import { cardOf, findGooglePass, type GooglePass } from '../../domain/passes/google/find-google-pass.ts';
import { canShowAtGoogle, googleKindOf } from '../../domain/passes/google/google-object.ts';
import {
  carriedFacts,
  claimPushes,
  isRequested,
  newClaim,
  type PushClaim,
  postponeForRateLimit,
  postponePushes,
  settlePushes,
} from '../../domain/pushes/claim-pushes.ts';
import type { PendingPush } from '../../domain/pushes/table.ts';
import type { WalletReply } from './reply.ts';
import { endObject, isReachable, sendCard } from './send-card.ts';

/** Google's answer to the version of a pass that was sent last. */
export type GoogleAnswer = Pick<Extract<Fact, { type: 'google_answered' }>, 'outcome' | 'status' | 'version'>;

/** Attempts within one call while others change the pass. After that, the queue retries the job. */
const ATTEMPTS_MAX = 5;
/** Seconds until a retry if Google doesn't say; at random up to twice that, so that not all retry at once. */
const RETRY_S_MIN = 15;

/**
 * Updates Google's object to the current pass, and sends `text` to its holder (`addMessage`). Does nothing without an
 * issuer, if the template excludes Google, or before somebody got a save link. Logs and returns a refusal. Throws
 * `RetryLater` if Google may accept it later.
 */
export async function pushToGoogle(
  ctx: Context,
  named: NamedPass,
  { text }: { text?: string } = {},
): Promise<GoogleAnswer | undefined> {
  return bringUpToDate(ctx, named, text, ({ found, issuer }) => {
    const { googlePublishedAt } = found.pass;
    // The dev inbox shows an update of every pass, whether or not Google would have it.
    return googlePublishedAt !== null || issuer!.development;
  });
}

/** Inserts the object of a pass that Google doesn't have yet. A second run does nothing. */
export async function publishToGoogle(ctx: Context, named: NamedPass): Promise<GoogleAnswer | undefined> {
  return bringUpToDate(ctx, named, undefined, ({ found }) => !found.pass.googlePublishedAt);
}

async function bringUpToDate(
  ctx: Context,
  named: NamedPass,
  newText: string | undefined,
  isDue: (pass: GooglePass) => boolean,
): Promise<GoogleAnswer | undefined> {
  const { passId } = named;
  let due = isDue;
  let unsent = newText;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    // An account may have moved since the attempt before.
    const googlePass = await findGooglePass(inAccount(ctx, named.accountId), named);
    if (!googlePass?.issuer || !isReachable(ctx, googlePass.issuer) || !due(googlePass)) return undefined;
    const { issuer, found } = googlePass;
    const { pass, definition } = found;
    const exists = Boolean(pass.googlePublishedAt);
    if (!exists && !definition.walletApps.google) return undefined;
    const kind = googleKindOf({ ...definition, flight: pass.flight, googleKind: pass.googleKind });
    if (!canShowAtGoogle(pass)) {
      await endObject(ctx, issuer, { passId, kind }).then(acceptedOrRetry);
      return undefined;
    }
    const card = await cardOf(googlePass);
    const known = { exists, hasMessages: pass.googleHasMessages };
    await limitRate(ctx, issuer, 1 + (exists && known.hasMessages ? 1 : 0) + (unsent === undefined ? 0 : 1));
    const text = unsent && withToken(ctx, pass, unsent);
    const reply = await sendCard(googlePass.ctx, { card, issuer, known, text });
    const outcome = acceptedOrRetry(reply) ? 'accepted' : 'refused';
    if (outcome === 'refused' || reply.state !== 'changed') {
      return { outcome, status: reply.status, version: card.passVersion };
    }
    due = () => true;
    unsent = undefined;
  }
  throw new RetryLater(0, `Google Wallet: pass ${passId} changes faster than it can be sent`);
}

async function limitRate(ctx: Context, issuer: GoogleIssuer, calls: number): Promise<void> {
  if (!issuer.development) await waitForCapacity(ctx, issuer.id, calls);
}

/** Returns whether Google has accepted it; throws `RetryLater` if it may accept it later. */
function acceptedOrRetry({ outcome, status, message, retryAfterSeconds }: WalletReply): boolean {
  const why = `Google Wallet: ${outcome} ${status ?? ''} ${message ?? ''}`;
  if (outcome === 'unavailable' || outcome === 'not_found') throw new RetryLater(retryAfterSeconds ?? 0, why);
  if (outcome === 'rate_limited')
    throw new RetryLater(retryAfterSeconds ?? Math.ceil(RETRY_S_MIN * (1 + Math.random())), why);
  return outcome === 'ok';
}

/** Job: ends the object of a deleted pass. A second run does nothing. */
export async function endGoogleObject(ctx: Context, named: NamedPass): Promise<void> {
  const { passId } = named;
  const due = await findDueGoogleObject(ctx, named);
  if (!due) return;
  const { issuer, kind, dueAt } = due;
  if (issuer && isReachable(ctx, issuer)) {
    try {
      await limitRate(ctx, issuer, 2);
    } catch (error) {
      if (!(error instanceof RateLimitWait)) throw error;
      return await postponeGoogleEnd(ctx, named, dueAt, error.afterSeconds);
    }
    const reply = await endObject(ctx, issuer, { passId, kind });
    try {
      acceptedOrRetry(reply);
    } catch (error) {
      throw asResumable(error);
    }
  }
  await recordGoogleEnd(ctx, named, dueAt);
}

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
