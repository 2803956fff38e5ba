import { and, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import { randomToken } from '../../platform/ids.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import {
  endReplaced,
  newSession,
  recordFailedSignIn,
  recordSignIn,
  SESSION_BYTES,
  type SigningIn,
  sessionExpiry,
} from './begin-session.ts';
import { sessions, signInTokens } from './table.ts';

export interface NewSession {
  /** The cookie's value; only its digest is stored. */
  session: string;
  userId: string;
  /** UTC milliseconds; use moves it on. */
  expiresAt: number;
  /** Page of the console that the link leads to; null: the first one. */
  returnPath: string | null;
}

/** Over also for requests that began before. The row stays for a day: see `purgeExpiredSignIns`. */
const USED_MS = 60 * 60_000;

/**
 * Exchanges the token of a sign-in link for a session, which replaces the browser's session `before`. One batch reads
 * and ends the token's row, so of simultaneous uses exactly one succeeds. Throws `unauthorized` for a token that is
 * unknown, used, expired or of another browser.
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
  const isThis = eq(signInTokens.digest, await sha256(token));
  const [made, , [used]] = await ctx.db.batch([
    ctx.db
      .insert(sessions)
      .select(
        ctx.db
          .select(newSession({ digest, userId: signInTokens.userId, now, visit }))
          .from(signInTokens)
          .where(isOpen),
      )
      .returning({ userId: sessions.userId }),
    recordSignIn(ctx, 'link', sql`(select ${signInTokens.userId} from ${signInTokens} where ${isThis})`),
    ctx.db
      .update(signInTokens)
      .set({ expiresAt: now - USED_MS })
      .where(isOpen)
      .returning({ returnPath: signInTokens.returnPath }),
    ...(before === undefined ? [] : [endReplaced(ctx, await sha256(before), digest)]),
  ]);
  const userId = made[0]?.userId;
  if (!userId || !used) {
    await recordFailedSignIn(ctx, 'link', sql`(select ${signInTokens.userId} from ${signInTokens} where ${isThis})`);
    throw new DomainError('unauthorized', 'This sign-in link was already used or has expired');
  }
  return { session, userId, expiresAt, returnPath: used.returnPath };
}

/** SQL that holds for the link with this token while this browser may use it. */
async function opensIn(token: string, browser: string | undefined, now: number): Promise<SQL | undefined> {
  const { digest, expiresAt, browserDigest } = signInTokens;
  const isMine = browser === undefined ? undefined : eq(browserDigest, await sha256(browser));
  return and(eq(digest, await sha256(token)), gt(expiresAt, now), or(isNull(browserDigest), isMine));
}
