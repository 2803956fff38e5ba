import { and, eq, sql } from 'drizzle-orm';
import type * as z from 'zod';
import { fromBase64 } from '../../platform/crypto.ts';
import { base64url } from '../../platform/ids.ts';
import { checked } from '../check.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { type BegunSession, beginSession, recordFailedSignIn, type SigningIn } from '../users/begin-session.ts';
import {
  Base64Url,
  challengeIn,
  createChallenge,
  credentialWith,
  partyOf,
  refused,
  takeChallenge,
  useOfChallenge,
  verified,
  verifyRequest,
} from './challenges.ts';
import { passkeys } from './table.ts';

const Answer = credentialWith({ authenticatorData: Base64Url, signature: Base64Url, userHandle: Base64Url });
type Answer = z.output<typeof Answer>;

/** Returns the options to sign in with any passkey of this service. */
export async function signInOptions(ctx: Context, browser: string) {
  const { id: rpID } = partyOf(ctx);
  const challenge = await createChallenge(ctx, browser, null);
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  return generateAuthenticationOptions({ rpID, challenge: fromBase64(challenge), userVerification: 'required' });
}

/**
 * Exchanges the signed answer of an authenticator for a session. The challenge is used up whatever the outcome.
 * `onlyUserId`: a user who signs in again. Throws `unauthorized` for a passkey that is unknown, removed, copied or of
 * another user, and for a challenge that is not this browser's.
 */
export async function signInWithPasskey(
  ctx: Context,
  input: unknown,
  browser: SigningIn,
  onlyUserId?: string,
): Promise<BegunSession> {
  const answer = checked(Answer, input);
  const challenge = challengeIn(answer.response.clientDataJSON);
  const use = await useOfChallenge(ctx, { challenge, browser: browser.browser, userId: null });
  const [[taken], [passkey]] = await ctx.db.batch([
    takeChallenge(ctx, use),
    ctx.db.select().from(passkeys).where(eq(passkeys.id, answer.id)),
  ]);
  if (!passkey) throw refused();
  try {
    if (!taken) throw refused();
    return await useOf(ctx, { answer, challenge, passkey, browser, onlyUserId });
  } catch (error) {
    if (error instanceof DomainError) await recordFailedSignIn(ctx, 'passkey', passkey.userId);
    throw error;
  }
}

interface Use {
  answer: Answer;
  challenge: string;
  passkey: typeof passkeys.$inferSelect;
  browser: SigningIn;
  onlyUserId?: string;
}

async function useOf(ctx: Context, { answer, challenge, passkey, browser, onlyUserId }: Use): Promise<BegunSession> {
  const isOwn = answer.response.userHandle === base64url(new TextEncoder().encode(passkey.userId));
  if (!isOwn || (onlyUserId !== undefined && passkey.userId !== onlyUserId)) throw refused();
  const { id: rpId, origin } = partyOf(ctx);
  const known = { ...passkey, publicKey: fromBase64(passkey.publicKey) };
  const counter = await verified(ctx, () =>
    verifyRequest(answer as Parameters<typeof verifyRequest>[0], { challenge, origin, rpId }, known),
  );
  // Two uses with the same count mean that one is a copy. A passkey that was removed meanwhile is refused.
  const isAhead = counter === 0 ? eq(passkeys.counter, 0) : sql`${passkeys.counter} < ${counter}`;
  const isUsable = and(eq(passkeys.id, passkey.id), eq(passkeys.userId, passkey.userId), isAhead);
  const begun = await beginSession(ctx, {
    ...{ userId: passkey.userId, passkeyId: passkey.id, browser },
    holds: sql`exists (select 1 from ${passkeys} where ${isUsable})`,
    noteUse: (isBegun) =>
      ctx.db.update(passkeys).set({ counter, lastUsedAt: Date.now() }).where(and(isUsable, isBegun)),
  });
  if (!begun) throw refused();
  return begun;
}
