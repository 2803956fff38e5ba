import { and, asc, eq, gt } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import { accounts } from '../accounts/table.ts';
import type { Context } from '../context.ts';
import { memberships, signInTokens, users } from './table.ts';

/** What a link that still works is good for. */
export interface OpenLink {
  email: string;
  /** Names of the accounts that it leads to, oldest membership first. */
  accounts: string[];
}

/**
 * The link with this token, for the browser with this secret; `elsewhere`: another browser asked for it. Undefined when
 * it is unknown, used or expired. Changes nothing. One round trip.
 */
export async function findSignInLink(
  ctx: Context,
  token: string,
  browser: string | undefined,
): Promise<OpenLink | 'elsewhere' | undefined> {
  const isLive = and(eq(signInTokens.digest, await sha256(token)), gt(signInTokens.expiresAt, Date.now()));
  const [[link], joined] = await ctx.db.batch([
    ctx.db
      .select({ email: users.email, browserDigest: signInTokens.browserDigest })
      .from(signInTokens)
      .innerJoin(users, eq(users.id, signInTokens.userId))
      .where(isLive),
    ctx.db
      .select({ name: accounts.name })
      .from(signInTokens)
      .innerJoin(memberships, eq(memberships.userId, signInTokens.userId))
      .innerJoin(accounts, eq(accounts.id, memberships.accountId))
      .where(isLive)
      .orderBy(asc(memberships.createdAt), asc(accounts.id)),
  ]);
  if (!link) return undefined;
  const isMine = browser !== undefined && link.browserDigest === (await sha256(browser));
  if (link.browserDigest !== null && !isMine) return 'elsewhere';
  return { email: link.email, accounts: joined.map(({ name }) => name) };
}
