import { and, eq, gt, isNotNull, ne, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { sha256 } from '../../platform/crypto.ts';
import { randomToken, uuidv7 } from '../../platform/ids.ts';
import { retryUntilSettled } from '../../platform/transient-error.ts';
import { forwardOwnEntries } from '../audit/forward-entries.ts';
import { ALWAYS, recordPersonAction } from '../audit/record-action.ts';
import type { Context } from '../context.ts';
import { writeOnce } from '../write-once.ts';
import { sessions, users } from './table.ts';

/** Days without use after which a session ends. */
export const SESSION_DAYS = 30;
/** Days after which a session ends, even if it is used. */
export const SESSION_DAYS_MAX = 90;
export const SESSION_BYTES = 32;
const DAY_MS = 24 * 60 * 60_000;
const USER_AGENT_CHARS_MAX = 300;
const ADDRESS_CHARS_MAX = 45;

/** Where a request comes from, according to its browser and the network. */
export interface Visit {
  userAgent?: string;
  /** IP address. */
  address?: string;
}

/** Returns the end of a session that is used now and began at `createdAt`, in UTC milliseconds. */
export function sessionExpiry(now: number, createdAt = now): number {
  return Math.min(now + SESSION_DAYS * DAY_MS, createdAt + SESSION_DAYS_MAX * DAY_MS);
}

/** Returns SQL for sessions that are not over. The stored end may be from a release without an absolute one. */
export function isNotOver(now: number): SQL | undefined {
  return and(gt(sessions.expiresAt, now), gt(sessions.createdAt, now - SESSION_DAYS_MAX * DAY_MS));
}

/** Returns the columns for where a session was last used. */
export function visited({ userAgent, address }: Visit) {
  return {
    userAgent: userAgent?.slice(0, USER_AGENT_CHARS_MAX) ?? null,
    address: address?.slice(0, ADDRESS_CHARS_MAX) ?? null,
  };
}

/** The browser that signs in. */
export interface SigningIn extends Visit {
  /** Its current session, which ends. */
  before?: string;
  /** Its secret, if it requested a link. */
  browser?: string;
}

export interface SessionRow {
  digest: string;
  userId: SQLWrapper;
  now: number;
  visit: Visit;
  passkeyId?: string;
}

/** Returns the columns of a new session. */
export function newSession({ digest, userId, now, visit, passkeyId }: SessionRow) {
  const { userAgent, address } = visited(visit);
  return {
    digest: sql<string>`${digest}`.as('digest'),
    userId: sql<string>`${userId}`.as('user_id'),
    createdAt: sql<number>`${now}`.as('created_at'),
    expiresAt: sql<number>`${sessionExpiry(now)}`.as('expires_at'),
    rotatedAt: sql<number>`${now}`.as('rotated_at'),
    previousDigest: sql<null>`null`.as('previous_digest'),
    previousUntilAt: sql<null>`null`.as('previous_until_at'),
    id: sql<string>`${uuidv7(0, now)}`.as('id'),
    lastUsedAt: sql<number>`${now}`.as('last_used_at'),
    userAgent: sql<string | null>`${userAgent}`.as('user_agent'),
    address: sql<string | null>`${address}`.as('address'),
    passkeyId: sql<string | null>`${passkeyId ?? null}`.as('passkey_id'),
  };
}

/** Builds the statement that ends a session once another exists. */
export function endReplaced(ctx: Context, digest: string, newDigest: string) {
  const isReplaced = sql`exists (select 1 from ${sessions} as made where made.digest = ${newDigest})`;
  return ctx.db
    .delete(sessions)
    .where(and(or(eq(sessions.digest, digest), eq(sessions.previousDigest, digest)), isReplaced));
}

export interface BegunSession {
  /** The cookie's value; only its digest is stored. */
  session: string;
  userId: string;
}

/** A session to begin with a passkey. */
export interface PasskeySession {
  userId: string;
  passkeyId: string;
  browser: SigningIn;
  /** True for the row of `users` if the passkey may be used. */
  holds: SQL;
  /** Records the use of the passkey if `isBegun`, after the session. */
  noteUse(isBegun: SQL): BatchItem<'sqlite'>;
}

/** Replaces the browser's session with a new one; undefined unless `holds`, or if the user is gone. One round trip. */
export async function beginSession(
  ctx: Context,
  { userId, passkeyId, browser, holds, noteUse }: PasskeySession,
): Promise<BegunSession | undefined> {
  const now = Date.now();
  const session = randomToken(SESSION_BYTES);
  const digest = await sha256(session);
  const { before, ...visit } = browser;
  const replaced = before === undefined ? [] : [endReplaced(ctx, await sha256(before), digest)];
  const begin = async () => {
    const [made] = await ctx.db.batch([
      ctx.db
        .insert(sessions)
        .select(
          ctx.db
            .select(newSession({ digest, userId: users.id, now, visit, passkeyId }))
            .from(users)
            .where(and(eq(users.id, userId), holds)),
        )
        .returning({ userId: sessions.userId }),
      recordSignIn(ctx, 'passkey', userId),
      noteUse(isBegun(digest)),
      ...replaced,
    ]);
    return made.length > 0;
  };
  const isMade = await writeOnce({}, () => findBegun(ctx, digest), begin);
  await forwardOwnEntries(ctx);
  return isMade ? { session, userId } : undefined;
}

/** Returns SQL that is true once the session with this digest exists. */
export function isBegun(digest: string): SQL {
  return sql`exists (select 1 from ${sessions} where ${eq(sessions.digest, digest)})`;
}

/** Returns true if the session with this digest exists, for `writeOnce`. */
async function findBegun(ctx: Context, digest: string): Promise<true | undefined> {
  const found = await ctx.db.select({ id: sessions.id }).from(sessions).where(eq(sessions.digest, digest));
  return found.length > 0 ? true : undefined;
}

/** How somebody signs in. */
export type SignInMethod = 'link' | 'passkey' | 'setup';

/**
 * Builds the statement that records a sign-in in each account of the user; put it right after the one for the session.
 */
export function recordSignIn(ctx: Context, method: SignInMethod, userId: SQL | string) {
  return recordPersonAction(ctx, { action: 'session.sign_in', changes: [{ field: 'method', new: method }] }, userId);
}

/** Records a failed sign-in in each account of the user; that of an unknown user is not recorded. One round trip. */
export async function recordFailedSignIn(ctx: Context, method: SignInMethod, userId: SQL | string): Promise<void> {
  const changes = [{ field: 'method', new: method }];
  const entries = recordPersonAction(ctx, { action: 'session.sign_in_failed', changes }, userId, ALWAYS);
  await retryUntilSettled(async () => entries);
  await forwardOwnEntries(ctx);
}

/** Marks a session as begun with a passkey that its user has just created, if `holds`. */
export function notePasskey(ctx: Context, of: { sessionId: string; userId: string; passkeyId: string }, holds: SQL) {
  const isTarget = and(holds, eq(sessions.userId, of.userId), eq(sessions.id, of.sessionId));
  return ctx.db.update(sessions).set({ passkeyId: of.passkeyId }).where(isTarget);
}

/** Ends sessions begun with a removed passkey, or with any. The kept session then counts as begun with a link. */
export function endSessionsOf(ctx: Context, of: { userId: string; passkeyId?: string; keptSessionId?: string }) {
  const { userId, passkeyId, keptSessionId } = of;
  const isBegunWith = passkeyId === undefined ? isNotNull(sessions.passkeyId) : eq(sessions.passkeyId, passkeyId);
  const isOther = keptSessionId === undefined ? undefined : ne(sessions.id, keptSessionId);
  const all = and(eq(sessions.userId, userId), isBegunWith);
  return [
    ctx.db.delete(sessions).where(and(all, isOther)),
    ctx.db.update(sessions).set({ passkeyId: null }).where(all),
  ] as const;
}
