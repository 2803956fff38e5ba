import { and, asc, desc, eq, gt, lte, or, type SQL, sql } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import { randomToken, uuidv7 } from '../../platform/ids.ts';
import { retryUntilSettled } from '../../platform/transient-error.ts';
import { findAccounts } from '../accounts/find-account.ts';
import { type Account, accounts } from '../accounts/table.ts';
import { forwardOwnEntries } from '../audit/forward-entries.ts';
import { ALWAYS, recordPersonAction } from '../audit/record-action.ts';
import { type Context, isHere } from '../context.ts';
import { isNotOver, SESSION_BYTES, sessionExpiry, type Visit, visited } from './begin-session.ts';
import { memberships, type Session, sessions, signInTokens, users } from './table.ts';

/** A session gets a new secret and a later end at most once a day, so that browsing does not write. */
const ROTATION_MS = 24 * 60 * 60_000;
/** Its last use is written at most once an hour, for the same reason. */
const USE_NOTED_MS = 60 * 60_000;
/** How long the previous secret is accepted: requests of several tabs are under way when one brings the new one. */
const ROTATION_GRACE_MS = 60_000;

export interface SignedInUser {
  id: string;
  email: string;
  /** Whether the user is an operator of the service; absent: no. */
  isOperator?: true;
}

export interface MembershipOfUser {
  account: Account;
  privileges: string[];
}

export interface LiveSession {
  /** Its identifier in the list of the user's sessions. */
  id: string;
  user: SignedInUser;
  createdAt: number;
  hasPasskey: boolean;
  /** The accounts that the user may act for, oldest membership first. */
  memberships: MembershipOfUser[];
  /** The secret for the browser to send from now on; undefined if the reply to another request brings it. */
  session?: string;
}

/**
 * Finds the user of a live session and the user's accounts. One round trip, one more for each further database of the
 * user, and once an hour one to record the use. A new secret each day makes a stolen one short-lived and visible. The
 * old one stays valid until the new one is used, because a reply can get lost.
 */
export function findSession(ctx: Context, session: string, visit: Visit = {}): Promise<LiveSession | undefined> {
  return retryUntilSettled(() => useSession(ctx, session, visit));
}

async function useSession(ctx: Context, session: string, visit: Visit): Promise<LiveSession | undefined> {
  const now = Date.now();
  const digest = await sha256(session);
  const [[found], joined] = await ctx.db.batch([
    ctx.db
      .select({ email: users.email, operatorSince: users.operatorSince, session: sessions })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(isLive(digest, now)),
    ctx.db
      .select({ account: accounts, accountId: memberships.accountId, privileges: memberships.privileges })
      .from(sessions)
      .innerJoin(memberships, eq(memberships.userId, sessions.userId))
      // Null: the account lives in another database, or is gone.
      .leftJoin(accounts, eq(accounts.id, memberships.accountId))
      .where(isLive(digest, now))
      .orderBy(asc(memberships.createdAt), asc(memberships.accountId)),
  ]);
  if (!found) return undefined;
  const { email, operatorSince, session: row } = found;
  const use = { ...row, isPresent: row.digest === digest, visit, now };
  return {
    id: row.id ?? row.digest,
    user: { id: row.userId, email, ...(operatorSince !== null && { isOperator: true }) },
    createdAt: row.createdAt,
    hasPasskey: row.passkeyId !== null,
    memberships: await withAccounts(ctx, joined),
    session: await nextSecret(ctx, session, use),
  };
}

interface JoinedMembership {
  accountId: string;
  account: Account | null;
  privileges: string[];
}

async function withAccounts(ctx: Context, joined: JoinedMembership[]): Promise<MembershipOfUser[]> {
  const elsewhere = joined.flatMap(({ accountId, account }) =>
    isHere(ctx, accountId) && account?.livesIn == null ? [] : accountId,
  );
  const found = await findAccounts(ctx, elsewhere);
  return joined.flatMap(({ accountId, account: here, privileges }) => {
    const account = found.get(accountId) ?? here;
    return account ? [{ account, privileges }] : [];
  });
}

interface Use extends Pick<Session, 'digest' | 'createdAt' | 'rotatedAt' | 'lastUsedAt' | 'previousUntilAt'> {
  /** Whether the current secret was sent, not the previous one. */
  isPresent: boolean;
  visit: Visit;
  now: number;
}

async function nextSecret(ctx: Context, session: string, use: Use): Promise<string | undefined> {
  const { isPresent, digest, rotatedAt, previousUntilAt, now } = use;
  const isUnused = (previousUntilAt ?? 0) > now + ROTATION_GRACE_MS;
  if (isPresent && rotatedAt <= now - ROTATION_MS) return rotate(ctx, use, digest);
  const isLost = !isPresent && isUnused && rotatedAt <= now - ROTATION_GRACE_MS;
  if (isLost) return rotate(ctx, use, await sha256(session));
  if (isPresent && isUnused) await endPrevious(ctx, digest, now);
  if ((use.lastUsedAt ?? 0) <= now - USE_NOTED_MS) await noteUse(ctx, use);
  return isPresent ? session : undefined;
}

function isLive(digest: string, now: number): SQL | undefined {
  const isPrevious = and(eq(sessions.previousDigest, digest), gt(sessions.previousUntilAt, now));
  return and(or(eq(sessions.digest, digest), isPrevious), isNotOver(now));
}

function useOf({ createdAt, visit, now }: Use) {
  return {
    id: sql`coalesce(${sessions.id}, ${uuidv7(0, now)})`,
    lastUsedAt: now,
    expiresAt: sessionExpiry(now, createdAt),
    ...visited(visit),
  };
}

async function noteUse(ctx: Context, use: Use): Promise<void> {
  const isDue = or(sql`${sessions.lastUsedAt} is null`, lte(sessions.lastUsedAt, use.now - USE_NOTED_MS));
  await ctx.db
    .update(sessions)
    .set(useOf(use))
    .where(and(eq(sessions.digest, use.digest), isNotOver(use.now), isDue));
}

/** Sets a new secret; `previous` stays valid until it is used. Returns undefined if another request was first. */
async function rotate(ctx: Context, use: Use, previous: string): Promise<string | undefined> {
  const { now } = use;
  const session = randomToken(SESSION_BYTES);
  const noted = useOf(use);
  // Conditional, so that of several requests one rotates, and a session that ends meanwhile stays ended.
  const rotated = await ctx.db
    .update(sessions)
    .set({
      ...noted,
      digest: await sha256(session),
      previousDigest: previous,
      previousUntilAt: noted.expiresAt,
      rotatedAt: now,
    })
    .where(and(eq(sessions.digest, use.digest), isNotOver(now)))
    .returning({ userId: sessions.userId });
  return rotated.length > 0 ? session : undefined;
}

/** Ends the previous secret in a minute. */
async function endPrevious(ctx: Context, present: string, now: number): Promise<void> {
  await ctx.db
    .update(sessions)
    .set({ previousUntilAt: now + ROTATION_GRACE_MS })
    .where(eq(sessions.digest, present));
}

/** Ends a session; an unknown one has already ended. */
export async function signOut(ctx: Context, session: string): Promise<void> {
  const digest = await sha256(session);
  const isTarget = or(eq(sessions.digest, digest), eq(sessions.previousDigest, digest));
  const userId = sql`(select ${sessions.userId} from ${sessions} where ${isTarget})`;
  await ctx.db.batch([
    recordPersonAction(ctx, { action: 'session.sign_out' }, userId, ALWAYS),
    ctx.db.delete(sessions).where(isTarget),
  ]);
  await forwardOwnEntries(ctx);
}

/** Ends every session of a user, on all devices, and invalidates open sign-in links. */
export async function signOutEverywhere(ctx: Context, userId: string): Promise<void> {
  await ctx.db.batch([
    ctx.db.delete(sessions).where(eq(sessions.userId, userId)),
    recordPersonAction(ctx, { action: 'session.end_all' }, userId),
    ctx.db.delete(signInTokens).where(eq(signInTokens.userId, userId)),
  ]);
  await forwardOwnEntries(ctx);
}

const SESSIONS_MAX = 100;

/** A browser that is signed in; `lastUsedAt` is accurate to an hour, and `address` the IP address of that use. */
export type SessionFacts = Pick<Session, 'userAgent' | 'address' | 'createdAt'> & { id: string; lastUsedAt: number };

// Sessions of releases without identifiers have their digest as identifier until their next use.
const idOf = sql<string>`coalesce(${sessions.id}, ${sessions.digest})`;

/** Lists the user's live sessions, the last used one first. */
export function listSessions(ctx: Context, userId: string): Promise<SessionFacts[]> {
  const lastUsedAt = sql<number>`coalesce(${sessions.lastUsedAt}, ${sessions.rotatedAt})`;
  return ctx.db
    .select({
      id: idOf,
      userAgent: sessions.userAgent,
      address: sessions.address,
      createdAt: sessions.createdAt,
      lastUsedAt,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), isNotOver(Date.now())))
    .orderBy(desc(lastUsedAt), desc(idOf))
    .limit(SESSIONS_MAX);
}

/** Ends one session of the user. Ignores one that is not the user's or has already ended. */
export async function endSession(ctx: Context, userId: string, id: string): Promise<void> {
  await ctx.db.batch([
    ctx.db.delete(sessions).where(and(eq(sessions.userId, userId), eq(idOf, id))),
    recordPersonAction(ctx, { action: 'session.end' }, userId),
  ]);
  await forwardOwnEntries(ctx);
}
