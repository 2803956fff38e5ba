import { and, eq, gt, isNull, lte, or, type SQL } from 'drizzle-orm';
import { fromBase64, sha256 } from '../../platform/crypto.ts';
import { randomToken } from '../../platform/ids.ts';
import { describeError, logLine } from '../../platform/log.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { purge } from '../purge.ts';
import { newIdIn } from '../write-once.ts';
import { passkeyChallenges } from './table.ts';

const CHALLENGE_BYTES = 32;
const CHALLENGE_MS = 5 * 60_000;

/** Creates a challenge for the browser with this secret; `userId` is the user who creates a passkey. */
export async function createChallenge(ctx: Context, browser: string, userId: string | null): Promise<string> {
  const challenge = randomToken(CHALLENGE_BYTES);
  const [digest, browserDigest] = await Promise.all([sha256(challenge), sha256(browser)]);
  const expiresAt = Date.now() + CHALLENGE_MS;
  await ctx.db.insert(passkeyChallenges).values({ digest, browserDigest, userId, expiresAt });
  return challenge;
}

/** Who answers a challenge, and from where. */
interface Answering {
  challenge: string;
  /** Secret of the browser. */
  browser: string | undefined;
  /** The user who creates a passkey; null: somebody signs in. */
  userId: string | null;
}

/** A challenge to use up. */
export interface ChallengeUse {
  /** True while it is valid for this browser and this user, or was taken by this request. */
  isOpen: SQL | undefined;
  /** Unique to this request. */
  mark: string;
}

/**
 * Prepares `takeChallenge`. A request that is retried after a transient error has the same mark, which finds the
 * challenge it took before.
 */
export async function useOfChallenge(ctx: Context, { challenge, browser, userId }: Answering): Promise<ChallengeUse> {
  const { digest, browserDigest, expiresAt, userId: madeFor } = passkeyChallenges;
  const texts = [challenge, browser ?? '', newIdIn(ctx, 0, 'passkey-challenge')];
  const [challengeDigest, askedBy, mark] = (await Promise.all(texts.map(sha256))) as [string, string, string];
  const isOf = userId === null ? isNull(madeFor) : eq(madeFor, userId);
  const isOfBrowser = or(eq(browserDigest, askedBy), eq(browserDigest, mark));
  return { isOpen: and(eq(digest, challengeDigest), isOfBrowser, isOf, gt(expiresAt, Date.now())), mark };
}

/** Builds the statement that uses up a challenge, for every browser. It returns a row if the challenge was valid. */
export function takeChallenge(ctx: Context, { isOpen, mark }: ChallengeUse) {
  return ctx.db
    .update(passkeyChallenges)
    .set({ browserDigest: mark })
    .where(isOpen)
    .returning({ digest: passkeyChallenges.digest });
}

/** Returns the challenge that a response claims to answer. Throws `unauthorized` if it names none. */
export function challengeIn(clientDataJson: string): string {
  try {
    const { challenge } = JSON.parse(new TextDecoder().decode(fromBase64(clientDataJson))) as { challenge?: unknown };
    if (typeof challenge === 'string') return challenge;
  } catch {
    // Neither base64 nor JSON: the same as no challenge.
  }
  throw refused();
}

/** Returns the service as authenticators know it. Throws `unprocessable` if its address has no host name. */
export function partyOf(ctx: Context): RelyingParty {
  const party = relyingParty(ctx);
  if (!party)
    throw new DomainError(
      'unprocessable',
      'Passkeys need a host name: open the service by its host name, not by its IP address',
    );
  return party;
}

/** Returns the error for a passkey that is not accepted, the same for every reason. */
export function refused(): DomainError {
  return new DomainError('unauthorized', 'This passkey was not accepted. Try again, or use a sign-in link.');
}

/** Returns the result of `verify`. Logs its error, and throws a refusal instead. */
export async function verified<T>(ctx: Context, verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    logLine('info', { event: 'passkey-refused', requestId: ctx.requestId, error: describeError(error) });
    throw refused();
  }
}

/** Cron task: deletes expired challenges. */
export async function purgeChallenges(ctx: Context): Promise<void> {
  await purge(ctx, passkeyChallenges, lte(passkeyChallenges.expiresAt, Date.now()));
}

/** The owner of passkeys: this service, at its public address. */
interface RelyingParty {
  /** Host name. A passkey works for one host only. */
  id: string;
  origin: string;
}

const ADDRESS = /^(\[.*\]|[\d.]+)$/;

/** Returns undefined if the address of the service has no host name: browsers create no passkeys for it. */
export function relyingParty({ baseUrl }: Context): RelyingParty | undefined {
  const { hostname, origin } = new URL(baseUrl);
  return ADDRESS.test(hostname) ? undefined : { id: hostname, origin };
}
