import { and, asc, eq, gt } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import { type Account, accounts } from '../accounts/table.ts';
import type { Context } from '../context.ts';
import { sessionExpiry } from './sign-in.ts';
import { memberships, sessions, users } from './table.ts';

/** A session's end moves at most once a day, so that browsing does not write. */
const RENEWAL_GRAIN_MS = 24 * 60 * 60_000;

export interface SignedInUser {
  id: string;
  email: string;
}

export interface MembershipOfUser {
  account: Account;
  privileges: string[];
}

/** The user of a live session, which this use prolongs; undefined when the session is unknown, ended or expired. */
export async function findSignedInUser(ctx: Context, session: string): Promise<SignedInUser | undefined> {
  const now = Date.now();
  const digest = await sha256(session);
  const [found] = await ctx.db
    .select({ id: users.id, email: users.email, expiresAt: sessions.expiresAt })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.digest, digest), gt(sessions.expiresAt, now)));
  if (!found) return undefined;
  const renewed = sessionExpiry(now);
  if (found.expiresAt < renewed - RENEWAL_GRAIN_MS) {
    // Conditional, so that a session which ends meanwhile stays ended.
    await ctx.db
      .update(sessions)
      .set({ expiresAt: renewed })
      .where(and(eq(sessions.digest, digest), gt(sessions.expiresAt, now)));
  }
  return { id: found.id, email: found.email };
}

/** Ends a session; an unknown one is ended already. */
export async function signOut(ctx: Context, session: string): Promise<void> {
  await ctx.db.delete(sessions).where(eq(sessions.digest, await sha256(session)));
}

/** The accounts that a user may act for, oldest membership first. */
export function listMembershipsOfUser(ctx: Context, userId: string): Promise<MembershipOfUser[]> {
  return ctx.db
    .select({ account: accounts, privileges: memberships.privileges })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .where(eq(memberships.userId, userId))
    .orderBy(asc(memberships.createdAt), asc(accounts.id));
}
