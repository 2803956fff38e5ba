import { and, eq, gt, isNull, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import { randomToken, uuidv7 } from '../../platform/ids.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { sessions, signInTokens } from './table.ts';

/** Days without a use after which a session ends. */
export const SESSION_DAYS = 30;
/** Days after which a session ends, however much it is used. */
export const SESSION_DAYS_MAX = 90;
export const SESSION_BYTES = 32;
const DAY_MS = 24 * 60 * 60_000;
const USER_AGENT_CHARS_MAX = 300;
const ADDRESS_CHARS_MAX = 45;

/** Where a request comes from, as its browser and the network tell. */
export interface Visit {
  userAgent?: string;
  /** IP address. */
  address?: string;
}

export interface NewSession {
  /** The cookie's value; only its digest is stored. */
  session: string;
  userId: string;
  /** UTC milliseconds; use moves it on. */
  expiresAt: number;
  /** Page of the console that the link leads to; null: the first one. */
  returnPath: string | null;
}

/** End of a session that is used now and began at `createdAt`, in UTC milliseconds. */
export function sessionExpiry(now: number, createdAt = now): number {
  return Math.min(now + SESSION_DAYS * DAY_MS, createdAt + SESSION_DAYS_MAX * DAY_MS);
}

/** SQL that holds for sessions which are not over: the end that is stored may be that of a release without an absolute one. */
export function isNotOver(now: number): SQL | undefined {
  return and(gt(sessions.expiresAt, now), gt(sessions.createdAt, now - SESSION_DAYS_MAX * DAY_MS));
}

/** The columns that say where a session was last used. */
export function visited({ userAgent, address }: Visit) {
  return {
    userAgent: userAgent?.slice(0, USER_AGENT_CHARS_MAX) ?? null,
    address: address?.slice(0, ADDRESS_CHARS_MAX) ?? null,
  };
}

/** The browser that signs in. */
export interface SigningIn extends Visit {
  /** Its session so far, which ends. */
  before?: string;
  /** Its secret, if it has asked for a link. */
  browser?: string;
}

/**
 * Exchanges the token of a sign-in link for a session, which takes the place of the browser's session `before`. The batch is one transaction that makes the session out of the token's row and
 * deletes the row, so of several simultaneous uses exactly one wins. Throws `unauthorized` for a token that is unknown, used or expired, or that another browser asked for.
 */
export async function signIn(
  ctx: Context,
  token: string,
  { before, browser, ...visit }: SigningIn = {},
): Promise<NewSession> {
  const now = Date.now();
  const session = randomToken(SESSION_BYTES);
  const expiresAt = sessionExpiry(now);
  const digest = await sha256(session);
  const isOpen = await opensIn(token, browser, now);
  const [made, [used]] = await ctx.db.batch([
    ctx.db
      .insert(sessions)
      .select(
        ctx.db
          .select(newSession({ digest, userId: signInTokens.userId, now, visit }))
          .from(signInTokens)
          .where(isOpen),
      )
      .returning({ userId: sessions.userId }),
    ctx.db.delete(signInTokens).where(isOpen).returning({ returnPath: signInTokens.returnPath }),
    ...(before === undefined ? [] : [endReplaced(ctx, await sha256(before), digest)]),
  ]);
  const userId = made[0]?.userId;
  if (!userId || !used) throw new DomainError('unauthorized', 'This sign-in link was already used or has expired');
  return { session, userId, expiresAt, returnPath: used.returnPath };
}

/** SQL that holds for the link with this token while this browser may use it. */
async function opensIn(token: string, browser: string | undefined, now: number): Promise<SQL | undefined> {
  const { digest, expiresAt, browserDigest } = signInTokens;
  const isMine = browser === undefined ? undefined : eq(browserDigest, await sha256(browser));
  return and(eq(digest, await sha256(token)), gt(expiresAt, now), or(isNull(browserDigest), isMine));
}

interface SessionRow {
  digest: string;
  userId: SQLWrapper;
  now: number;
  visit: Visit;
}

/** The columns of a session that begins. */
function newSession({ digest, userId, now, visit }: SessionRow) {
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
  };
}

/** The statement that ends a session once another stands. */
function endReplaced(ctx: Context, digest: string, newDigest: string) {
  const stands = sql`exists (select 1 from ${sessions} as made where made.digest = ${newDigest})`;
  return ctx.db
    .delete(sessions)
    .where(and(or(eq(sessions.digest, digest), eq(sessions.previousDigest, digest)), stands));
}
