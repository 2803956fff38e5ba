import { and, eq, gt, or, sql } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import { randomToken } from '../../platform/ids.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { sessions, signInTokens } from './table.ts';

export const SESSION_DAYS = 30;
export const SESSION_BYTES = 32;

export interface NewSession {
  /** The cookie's value; only its digest is stored. */
  session: string;
  userId: string;
  /** UTC milliseconds; each day of use moves it on. */
  expiresAt: number;
}

/** End of a session that is used now, in UTC milliseconds. */
export function sessionExpiry(now: number): number {
  return now + SESSION_DAYS * 24 * 60 * 60_000;
}

/**
 * Exchanges the token of a sign-in link for a session, which takes the place of the browser's session `before`. The batch is one transaction that makes the session out of the token's row and
 * deletes the row, so of several simultaneous uses exactly one wins. Throws `unauthorized` for a token that is unknown, used or expired.
 */
export async function signIn(ctx: Context, token: string, before?: string): Promise<NewSession> {
  const now = Date.now();
  const session = randomToken(SESSION_BYTES);
  const expiresAt = sessionExpiry(now);
  const [digest, tokenDigest] = await Promise.all([sha256(session), sha256(token)]);
  const [made] = await ctx.db.batch([
    ctx.db
      .insert(sessions)
      .select(
        ctx.db
          .select({
            digest: sql`${digest}`.as('digest'),
            userId: sql`${signInTokens.userId}`.as('user_id'),
            createdAt: sql`${now}`.as('created_at'),
            expiresAt: sql`${expiresAt}`.as('expires_at'),
            rotatedAt: sql`${now}`.as('rotated_at'),
            previousDigest: sql`null`.as('previous_digest'),
            previousUntilAt: sql`null`.as('previous_until_at'),
          })
          .from(signInTokens)
          .where(and(eq(signInTokens.digest, tokenDigest), gt(signInTokens.expiresAt, now))),
      )
      .returning({ userId: sessions.userId }),
    ctx.db.delete(signInTokens).where(eq(signInTokens.digest, tokenDigest)),
    ...(before === undefined ? [] : [endReplaced(ctx, await sha256(before), digest)]),
  ]);
  const userId = made[0]?.userId;
  if (!userId) throw new DomainError('unauthorized', 'This sign-in link was already used or has expired');
  return { session, userId, expiresAt };
}

/** The statement that ends a session once another stands. */
function endReplaced(ctx: Context, digest: string, newDigest: string) {
  const stands = sql`exists (select 1 from ${sessions} as made where made.digest = ${newDigest})`;
  return ctx.db
    .delete(sessions)
    .where(and(or(eq(sessions.digest, digest), eq(sessions.previousDigest, digest)), stands));
}
