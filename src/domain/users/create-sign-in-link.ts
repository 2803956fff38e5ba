import { and, eq, gt, type SQL, sql } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import { randomToken } from '../../platform/ids.ts';
import { forwardOwnEntries } from '../audit/forward-entries.ts';
import { recordPersonAction } from '../audit/record-action.ts';
import { type Context, inDirectory } from '../context.ts';
import { notFound } from '../errors.ts';
import { link as linkTo, type SystemMail, safeText, sendMail, systemMail } from '../messages/system-mail.ts';
import { writeOnce } from '../write-once.ts';
import { linkedAccountsQuery, namesOfAccounts } from './sign-in.ts';
import { signInTokens, users } from './table.ts';

export const SIGN_IN_LINK_MINUTES = 15;
/** Live links per person that can be requested in public; an operator can create more. */
const ASKED_LINKS_MAX = 5;
const TOKEN_BYTES = 32;

export interface SignInLink {
  url: string;
  /** UTC milliseconds. */
  expiresAt: number;
}

/** A request for a link for oneself. */
export interface LinkRequest {
  /** Secret of the only browser in which the link works. Absent if somebody else creates it for the user. */
  browser?: string;
  /** Page of the console that the link leads to. */
  returnPath?: string;
  /** Name of the account to which an owner invites the user; absent if the user requests the link. */
  invitedTo?: string;
}

/**
 * Creates a link that signs the user in once, within 15 minutes, in any browser. Only the digest of its token is
 * stored. Throws `not_found` for an unknown address: a public form must answer the same in both cases.
 */
export async function createSignInLink(ctx: Context, email: string): Promise<SignInLink> {
  const directory = inDirectory(ctx);
  const link = await storeLink(directory, email, {}, undefined, true);
  if (!link) throw notFound();
  await forwardOwnEntries(directory);
  const { url, expiresAt } = link;
  return { url, expiresAt };
}

/**
 * Mails a link to anyone who requests one by address, or whom an owner invites. Nobody learns whether the address is
 * known: an unknown one gets no mail, nor does one with five live links. Deletes the link and throws if the provider
 * did not accept the mail.
 */
export async function mailSignInLink(ctx: Context, email: string, asked: LinkRequest = {}): Promise<void> {
  const directory = inDirectory(ctx);
  const links = directory.db
    .select({ digest: signInTokens.digest })
    .from(signInTokens)
    .where(and(eq(signInTokens.userId, users.id), gt(signInTokens.expiresAt, Date.now())));
  const link = await storeLink(directory, email, asked, sql`(select count(*) from ${links}) < ${ASKED_LINKS_MAX}`);
  if (!link) return;
  try {
    const isThis = eq(signInTokens.digest, link.digest);
    const names =
      asked.invitedTo === undefined ? await namesOfAccounts(ctx, await linkedAccountsQuery(directory, isThis)) : [];
    await sendMail(ctx, mailOf(ctx, email, { link, asked, names }));
  } catch (error) {
    await directory.db.delete(signInTokens).where(eq(signInTokens.digest, link.digest));
    throw error;
  }
}

/** Maximum number of accounts that a mail names. */
const NAMED_ACCOUNTS_MAX = 5;

function mailOf(ctx: Context, email: string, { link, asked, names }: LinkMail): SystemMail {
  const to = email.trim().toLowerCase();
  const { browser, invitedTo } = asked;
  const once = safeText`It works once, within ${SIGN_IN_LINK_MINUTES} minutes.`;
  if (invitedTo !== undefined) {
    return systemMail(ctx, to, {
      subject: safeText`You can now sign in to “${invitedTo}”`,
      lines: [
        safeText`You are now a member of the account “${invitedTo}”. Use this link to sign in to the console. ${once}`,
      ],
      button: { label: 'Sign in', url: link.url },
      notes: [
        safeText`After that, request a new link at ${linkTo(`${ctx.baseUrl}/console/sign-in`)}.`,
        safeText`If you don’t know this account, ignore this e-mail.`,
      ],
    });
  }
  const where = browser === undefined ? safeText`` : safeText` Open it in the browser in which you requested it.`;
  const more = names.length - NAMED_ACCOUNTS_MAX;
  const named = names.slice(0, NAMED_ACCOUNTS_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return systemMail(ctx, to, {
    subject: names.length === 1 ? safeText`Your sign-in link for “${names[0]!}”` : safeText`Your sign-in link`,
    lines: [safeText`Use this link to sign in to the console. ${once}${where}`],
    facts: named === '' ? [] : [[names.length === 1 ? 'Account' : 'Accounts', named]],
    button: { label: 'Sign in', url: link.url },
    notes: [safeText`If you didn’t request this link, ignore this e-mail. Nobody can sign in without the link.`],
  });
}

interface LinkMail {
  link: SignInLink;
  asked: LinkRequest;
  /** Names of the user's accounts. */
  names: string[];
}

interface StoredLink extends SignInLink {
  digest: string;
}

async function storeLink(
  ctx: Context,
  email: string,
  { browser, returnPath }: LinkRequest,
  holds?: SQL,
  isForOther = false,
): Promise<StoredLink | undefined> {
  const browserDigest = browser === undefined ? null : await sha256(browser);
  const token = randomToken(TOKEN_BYTES);
  const digest = await sha256(token);
  const expiresAt = Date.now() + SIGN_IN_LINK_MINUTES * 60_000;
  const address = email.trim().toLowerCase();
  const insert = ctx.db
    .insert(signInTokens)
    .select(
      ctx.db
        .select({
          digest: sql`${digest}`.as('digest'),
          userId: sql`${users.id}`.as('user_id'),
          expiresAt: sql`${expiresAt}`.as('expires_at'),
          browserDigest: sql`${browserDigest}`.as('browser_digest'),
          returnPath: sql`${returnPath ?? null}`.as('return_path'),
        })
        .from(users)
        .where(and(eq(users.email, address), holds)),
    )
    .returning({ userId: signInTokens.userId });
  const isStored = eq(signInTokens.digest, digest);
  const userId = sql`(select ${users.id} from ${users} where ${eq(users.email, address)})`;
  // A request for oneself is not recorded: the sign-in with the link will be.
  const entries = isForOther ? [recordPersonAction(ctx, { action: 'session.create_link' }, userId)] : [];
  const find = async () => {
    const found = await ctx.db.select({ digest: signInTokens.digest }).from(signInTokens).where(isStored);
    return found.length > 0 ? true : undefined;
  };
  const isMade = await writeOnce({}, find, async () => {
    const [stored] = await ctx.db.batch([insert, ...entries]);
    return stored.length > 0;
  });
  if (!isMade) return undefined;
  return { url: `${ctx.baseUrl}/console/sign-in?token=${token}`, expiresAt, digest };
}
