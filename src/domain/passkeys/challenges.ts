import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { and, eq, gt, isNull, lte, or, type SQL } from 'drizzle-orm';
import * as z from 'zod';
import { fromBase64, sha256 } from '../../platform/crypto.ts';
import { base64url, randomToken } from '../../platform/ids.ts';
import { describeError, logLine } from '../../platform/log.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { purge } from '../purge.ts';
import { newIdIn } from '../write-once.ts';
import { passkeyChallenges } from './table.ts';

export const Base64Url = z.base64url().min(1);

/** Returns the schema of a credential as a browser sends it, with these members of the authenticator's response. */
export const credentialWith = <S extends z.ZodRawShape>(response: S) =>
  z.object({
    id: Base64Url,
    rawId: Base64Url,
    type: z.literal('public-key'),
    clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
    response: z.object({ clientDataJSON: Base64Url, ...response }),
  });

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
interface ChallengeUse {
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

/** Values that a response must match. */
interface Expected {
  /** In base64url. */
  challenge: string;
  origin: string;
  /** Host name of the relying party. */
  rpId: string;
}

/** A stored credential. */
export interface Credential {
  /** In base64url. */
  id: string;
  /** COSE key. */
  publicKey: Uint8Array<ArrayBuffer>;
  counter: number;
}

/** COSE algorithms: EdDSA, ES256 and RS256. Each authenticator supports one of them. */
export const ALGORITHMS = [-8, -7, -257];

/** Returns the credential that an authenticator created for `expected`. Throws an error that says what is wrong. */
export async function verifyCreation(response: RegistrationResponseJSON, expected: Expected): Promise<Credential> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const attestationObject = await withoutCertificates(response.response.attestationObject);
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...response, response: { ...response.response, attestationObject } },
    expectedChallenge: expected.challenge,
    expectedOrigin: expected.origin,
    expectedRPID: expected.rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  });
  if (!verified) throw new Error('not verified');
  return registrationInfo.credential;
}

/** Returns the count of uses that the authenticator signed for `expected`. Throws an error that says what is wrong. */
export async function verifyRequest(
  response: AuthenticationResponseJSON,
  expected: Expected,
  credential: Credential,
): Promise<number> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: expected.challenge,
    expectedOrigin: expected.origin,
    expectedRPID: expected.rpId,
    requireUserVerification: true,
    credential,
  });
  if (!verified) throw new Error('not verified');
  return authenticationInfo.newCounter;
}

/**
 * Leaves out the attestation of the manufacturer, as browsers do if none is requested. It comes with certificates,
 * which are not read here.
 */
async function withoutCertificates(attestationObject: string): Promise<string> {
  const { isoCBOR } = await import('@simplewebauthn/server/helpers');
  const attestation = isoCBOR.decodeFirst<unknown>(fromBase64(attestationObject));
  if (!(attestation instanceof Map)) throw new Error('no attestation object');
  const [format, statement] = [attestation.get('fmt'), attestation.get('attStmt')];
  const isSelfAttestation = format === 'packed' && statement instanceof Map && !statement.has('x5c');
  if (format === 'none' || isSelfAttestation) return attestationObject;
  const without = new Map(attestation).set('fmt', 'none').set('attStmt', new Map());
  return base64url(isoCBOR.encode(without as Parameters<typeof isoCBOR.encode>[0]));
}
