import { and, asc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import { randomToken } from '../../platform/ids.ts';
import { findAccounts } from '../accounts/find-account.ts';
import { accounts } from '../accounts/table.ts';
import { forwardOwnEntries } from '../audit/forward-entries.ts';
import { type Context, isHere } from '../context.ts';
import { DomainError } from '../errors.ts';
import { writeOnce } from '../write-once.ts';
import {
  endReplaced,
  isBegun,
  newSession,
  recordFailedSignIn,
  recordSignIn,
  SESSION_BYTES,
  type SigningIn,
  sessionExpiry,
} from './begin-session.ts';
import { memberships, sessions, signInTokens, users } from './table.ts';

interface NewSession {
  /** The cookie's value; only its digest is stored. */
  session: string;
  userId: string;
  /** UTC milliseconds; use extends it. */
  expiresAt: number;
  /** Page of the console that the link leads to; null: the first one. */
  returnPath: string | null;
}

/** Ends a used link for requests that began earlier, too. The row stays for a day: see `purgeExpiredSignIns`. */
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
  const isOpen = await isUsableIn(token, browser, now);
  const isThis = eq(signInTokens.digest, await sha256(token));
  const replaced = before === undefined ? [] : [endReplaced(ctx, await sha256(before), digest)];
  const redeem = async () => {
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
      ...replaced,
    ]);
    return made[0] && used && { userId: made[0].userId, returnPath: used.returnPath };
  };
  const find = async () => {
    const { userId, returnPath } = signInTokens;
    const [used] = await ctx.db
      .select({ userId, returnPath })
      .from(signInTokens)
      .where(and(isThis, isBegun(digest)));
    return used;
  };
  const redeemed = await writeOnce({}, find, redeem);
  if (!redeemed) {
    await recordFailedSignIn(ctx, 'link', sql`(select ${signInTokens.userId} from ${signInTokens} where ${isThis})`);
    throw new DomainError('unauthorized', 'This sign-in link was already used or has expired');
  }
  await forwardOwnEntries(ctx);
  return { session, expiresAt, ...redeemed };
}

/** Returns SQL that is true for the link with this token while this browser may use it. */
async function isUsableIn(token: string, browser: string | undefined, now: number): Promise<SQL | undefined> {
  const { digest, expiresAt, browserDigest } = signInTokens;
  const isMine = browser === undefined ? undefined : eq(browserDigest, await sha256(browser));
  return and(eq(digest, await sha256(token)), gt(expiresAt, now), or(isNull(browserDigest), isMine));
}

/** A link that still works. */
export interface OpenLink {
  email: string;
  /** Names of the accounts that it leads to, oldest membership first. */
  accounts: string[];
}

/**
 * Finds the link with this token, for the browser with this secret; `elsewhere`: another browser requested it.
 * Undefined if it is unknown, used or expired. Changes nothing. One round trip, and one for each other database.
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
    linkedAccountsQuery(ctx, isLive),
  ]);
  if (!link) return undefined;
  const isMine = browser !== undefined && link.browserDigest === (await sha256(browser));
  if (link.browserDigest !== null && !isMine) return 'elsewhere';
  return { email: link.email, accounts: await namesOfAccounts(ctx, joined) };
}

/** Builds the query of the accounts that a sign-in link leads to, oldest membership first. */
export function linkedAccountsQuery({ db }: Pick<Context, 'db'>, isLink: SQL | undefined) {
  return db
    .select({ accountId: memberships.accountId, name: accounts.name })
    .from(signInTokens)
    .innerJoin(memberships, eq(memberships.userId, signInTokens.userId))
    .leftJoin(accounts, eq(accounts.id, memberships.accountId))
    .where(isLink)
    .orderBy(asc(memberships.createdAt), asc(memberships.accountId));
}

/** Returns the names of accounts that `linkedAccountsQuery` found. One round trip for each other database. */
export async function namesOfAccounts(
  ctx: Context,
  joined: { accountId: string; name: string | null }[],
): Promise<string[]> {
  const elsewhere = joined.flatMap(({ accountId }) => (isHere(ctx, accountId) ? [] : accountId));
  const found = await findAccounts(ctx, elsewhere);
  return joined.flatMap(({ accountId, name }) => found.get(accountId)?.name ?? name ?? []);
}
