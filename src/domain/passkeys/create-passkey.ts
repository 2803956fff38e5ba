import { and, asc, eq, sql } from 'drizzle-orm';
import * as z from 'zod';
import { fromBase64 } from '../../platform/crypto.ts';
import { base64url } from '../../platform/ids.ts';
import { forwardOwnEntries } from '../audit/forward-entries.ts';
import { recordPersonAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import type { Context } from '../context.ts';
import { invalidField } from '../errors.ts';
import { notePasskey } from '../users/begin-session.ts';
import type { SignedInUser } from '../users/sessions.ts';
import { writeOnce } from '../write-once.ts';
import {
  ALGORITHMS,
  Base64Url,
  challengeIn,
  createChallenge,
  credentialWith,
  partyOf,
  refused,
  takeChallenge,
  useOfChallenge,
  verified,
  verifyCreation,
} from './challenges.ts';
import { passkeys } from './table.ts';

/** Passkeys per user. */
export const PASSKEYS_MAX = 20;
const NAME_CHARS_MAX = 100;
const TRANSPORTS_MAX = 10;

export const NewPasskey = z.object({
  name: z.string().trim().min(1, 'must not be empty').max(NAME_CHARS_MAX),
  response: credentialWith({
    attestationObject: Base64Url,
    transports: z.array(z.string().max(NAME_CHARS_MAX)).max(TRANSPORTS_MAX).default([]),
  }),
});

/** Returns options for a discoverable passkey that verifies the user. It must be created within five minutes. */
export async function creationOptions(ctx: Context, user: SignedInUser, browser: string) {
  const { id: rpID } = partyOf(ctx);
  const known = await ctx.db
    .select({ id: passkeys.id, transports: passkeys.transports })
    .from(passkeys)
    .where(eq(passkeys.userId, user.id))
    .orderBy(asc(passkeys.createdAt));
  const challenge = await createChallenge(ctx, browser, user.id);
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  return generateRegistrationOptions({
    rpName: 'Pass wallet service',
    rpID,
    userID: new Uint8Array(new TextEncoder().encode(user.id)),
    userName: user.email,
    userDisplayName: user.email,
    challenge: fromBase64(challenge),
    attestationType: 'none',
    excludeCredentials: known,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

interface Creation {
  user: SignedInUser;
  sessionId: string;
  /** Secret of the browser that asked for the options. */
  browser: string | undefined;
}

/**
 * Stores the passkey that the user's browser created; the session counts as signed in with it. Throws `unauthorized`
 * for a response that proves nothing, and `invalid` for an invalid name or too many passkeys.
 */
export async function createPasskey(
  ctx: Context,
  input: unknown,
  { user, sessionId, browser }: Creation,
): Promise<void> {
  const { name, response } = checked(NewPasskey, input);
  const expectedChallenge = challengeIn(response.response.clientDataJSON);
  const use = await useOfChallenge(ctx, { challenge: expectedChallenge, browser, userId: user.id });
  const [taken] = await takeChallenge(ctx, use);
  if (!taken) throw refused();
  const { id: rpId, origin } = partyOf(ctx);
  const expected = { challenge: expectedChallenge, origin, rpId };
  const { id, publicKey, counter } = await verified(ctx, () =>
    verifyCreation(response as Parameters<typeof verifyCreation>[0], expected),
  );
  const now = Date.now();
  const others = sql`(select count(*) from ${passkeys} as other where other.user_id = ${user.id})`;
  const isStored = sql`exists (select 1 from ${passkeys} as mine where mine.id = ${id} and mine.user_id = ${user.id})`;
  const transports = JSON.stringify(response.response.transports);
  const find = async () => {
    const isMine = and(eq(passkeys.id, id), eq(passkeys.userId, user.id), eq(passkeys.createdAt, now));
    const found = await ctx.db.select({ id: passkeys.id }).from(passkeys).where(isMine);
    return found.length > 0 ? true : undefined;
  };
  const isNew = await writeOnce({}, find, async () => {
    const [stored] = await ctx.db.batch([
      ctx.db
        .insert(passkeys)
        .select(
          sql`select ${id}, ${user.id}, ${name}, ${base64url(publicKey)}, ${counter}, ${transports}, ${now}, null
            where ${others} < ${PASSKEYS_MAX}`,
        )
        .onConflictDoNothing()
        .returning({ id: passkeys.id }),
      recordPersonAction(ctx, { action: 'passkey.create', changes: [{ field: 'name', new: name }] }, user.id),
      notePasskey(ctx, { sessionId, userId: user.id, passkeyId: id }, isStored),
    ]);
    return stored.length > 0;
  });
  await forwardOwnEntries(ctx);
  if (!isNew)
    throw invalidField(
      'Passkeys',
      `you can have at most ${PASSKEYS_MAX}, and can’t add the same one twice. Remove one first.`,
    );
}
