import { and, asc, eq, gt, or, type SQL } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import { randomToken } from '../../platform/ids.ts';
import { type Account, accounts } from '../accounts/table.ts';
import type { Context } from '../context.ts';
import { SESSION_BYTES, sessionExpiry } from './sign-in.ts';
import { memberships, sessions, signInTokens, users } from './table.ts';

/** A session gets a new secret, and its end moves, at most once a day, so that browsing does not write. */
const ROTATION_MS = 24 * 60 * 60_000;
/** How long the secret before is accepted once the new one was used: requests of several tabs are under way when one of them brings it. */
const ROTATION_GRACE_MS = 60_000;

export interface SignedInUser {
  id: string;
  email: string;
}

export interface MembershipOfUser {
  account: Account;
  privileges: string[];
}

export interface LiveSession {
  user: SignedInUser;
  /** The accounts that the user may act for, oldest membership first. */
  memberships: MembershipOfUser[];
  /** The secret that the browser shall send from now on; undefined when the reply to another request brings it. */
  session?: string;
}

/**
 * The user behind the secret of a live session, with the accounts; undefined when the session is unknown, ended or expired. One round trip. Once a day a second one gives the session a
 * new secret, and another ends the old one when the new one is first used, so that a stolen one is worth little and shows: of two browsers with the same secret only one goes on. Until then the old one stays
 * good: the reply that brought the new one may have been lost.
 */
export async function findSession(ctx: Context, session: string): Promise<LiveSession | undefined> {
  const now = Date.now();
  const digest = await sha256(session);
  const { rotatedAt, digest: present, previousUntilAt } = sessions;
  const [[found], joined] = await ctx.db.batch([
    ctx.db
      .select({ id: users.id, email: users.email, rotatedAt, digest: present, previousUntilAt })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(isLive(digest, now)),
    ctx.db
      .select({ account: accounts, privileges: memberships.privileges })
      .from(sessions)
      .innerJoin(memberships, eq(memberships.userId, sessions.userId))
      .innerJoin(accounts, eq(accounts.id, memberships.accountId))
      .where(isLive(digest, now))
      .orderBy(asc(memberships.createdAt), asc(accounts.id)),
  ]);
  if (!found) return undefined;
  return {
    user: { id: found.id, email: found.email },
    memberships: joined,
    session: await nextSecret(ctx, session, { isPresent: found.digest === digest, ...found }, now),
  };
}

interface FoundSecret {
  /** Whether it is the present one that was sent, not the one before it. */
  isPresent: boolean;
  digest: string;
  rotatedAt: number;
  previousUntilAt: number | null;
}

/** The secret that a browser shall send after it has sent this one. */
async function nextSecret(ctx: Context, session: string, found: FoundSecret, now: number): Promise<string | undefined> {
  const { isPresent, digest, rotatedAt, previousUntilAt } = found;
  const isUnused = (previousUntilAt ?? 0) > now + ROTATION_GRACE_MS;
  if (isPresent && rotatedAt <= now - ROTATION_MS) return rotate(ctx, digest, digest, now);
  if (isPresent && isUnused) await endPrevious(ctx, digest, now);
  if (isPresent) return session;
  const isLost = isUnused && rotatedAt <= now - ROTATION_GRACE_MS;
  return isLost ? rotate(ctx, digest, await sha256(session), now) : undefined;
}

function isLive(digest: string, now: number): SQL | undefined {
  const isPrevious = and(eq(sessions.previousDigest, digest), gt(sessions.previousUntilAt, now));
  return and(or(eq(sessions.digest, digest), isPrevious), gt(sessions.expiresAt, now));
}

/** Gives a session a new secret in place of its `present` one, and leaves `previous` good until that is used; undefined when another request did so first. */
async function rotate(ctx: Context, present: string, previous: string, now: number): Promise<string | undefined> {
  const session = randomToken(SESSION_BYTES);
  // Conditional, so that of several requests one rotates, and a session which ends meanwhile stays ended.
  const rotated = await ctx.db
    .update(sessions)
    .set({
      digest: await sha256(session),
      previousDigest: previous,
      previousUntilAt: sessionExpiry(now),
      rotatedAt: now,
      expiresAt: sessionExpiry(now),
    })
    .where(and(eq(sessions.digest, present), gt(sessions.expiresAt, now)))
    .returning({ userId: sessions.userId });
  return rotated.length > 0 ? session : undefined;
}

/** Ends the secret before the present one, in a minute. */
async function endPrevious(ctx: Context, present: string, now: number): Promise<void> {
  await ctx.db
    .update(sessions)
    .set({ previousUntilAt: now + ROTATION_GRACE_MS })
    .where(eq(sessions.digest, present));
}

/** Ends a session; an unknown one is ended already. */
export async function signOut(ctx: Context, session: string): Promise<void> {
  const digest = await sha256(session);
  await ctx.db.delete(sessions).where(or(eq(sessions.digest, digest), eq(sessions.previousDigest, digest)));
}

/** Ends every session of a user, on all devices, and makes sign-in links that are under way worthless. */
export async function signOutEverywhere(ctx: Context, userId: string): Promise<void> {
  await ctx.db.batch([
    ctx.db.delete(sessions).where(eq(sessions.userId, userId)),
    ctx.db.delete(signInTokens).where(eq(signInTokens.userId, userId)),
  ]);
}
