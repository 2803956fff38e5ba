import { eq, sql } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import { randomToken } from '../../platform/ids.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { signInTokens, users } from './table.ts';

export const SIGN_IN_LINK_MINUTES = 15;
const TOKEN_BYTES = 32;

export interface SignInLink {
  url: string;
  /** UTC milliseconds. */
  expiresAt: number;
}

/**
 * Makes a link that signs the user in once, within 15 minutes. Only the digest of its token is stored. Throws `not_found` for an
 * unknown address: a public form must answer alike in both cases.
 */
export async function createSignInLink(ctx: Context, email: string): Promise<SignInLink> {
  const token = randomToken(TOKEN_BYTES);
  const digest = await sha256(token);
  const expiresAt = Date.now() + SIGN_IN_LINK_MINUTES * 60_000;
  const stored = await ctx.db
    .insert(signInTokens)
    .select(
      ctx.db
        .select({
          digest: sql`${digest}`.as('digest'),
          userId: sql`${users.id}`.as('user_id'),
          expiresAt: sql`${expiresAt}`.as('expires_at'),
        })
        .from(users)
        .where(eq(users.email, email.trim().toLowerCase())),
    )
    .returning({ userId: signInTokens.userId });
  if (stored.length === 0) throw notFound();
  return { url: `${ctx.baseUrl}/console/sign-in?token=${token}`, expiresAt };
}
