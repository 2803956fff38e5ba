import { inArray, sql } from 'drizzle-orm';
import type { GoogleIssuer } from '../domain/certificates/table.ts';
import { commit, enqueueSoon } from '../domain/commit.ts';
import type { AccountContext } from '../domain/context.ts';
import type { Card } from '../domain/passes/card/card.ts';
import { resolveCard } from '../domain/passes/card/resolve-card.ts';
import { canShowAtGoogle } from '../domain/passes/google/google-object.ts';
import { isOfAccount } from '../domain/passes/own-pass.ts';
import { filePath } from '../domain/passes/page/links.ts';
import { withRotatingKey } from '../domain/passes/page/rotating-key.ts';
import { type Pass, passes } from '../domain/passes/table.ts';
import { requestPublications } from '../domain/pushes/request-pushes.ts';
import { signerFor } from '../domain/signing-keys/signer.ts';
import { getDefinition } from '../domain/templates/get-template.ts';
import { describeError, logLine } from '../platform/log.ts';
import { buildBundleSaveLink, buildSaveLink, type SaveLink } from './google/save-link.ts';
import { isReachable, type SentCard, sendCard } from './google/send-card.ts';
import { signerOf } from './google/signer.ts';

/** The direct links of a pass for both wallets. */
export interface WalletLinks {
  passFileUri: string;
  /**
   * Null if neither the account nor the service has a Google Wallet issuer, if the template excludes Google, or if the
   * card can't have a link, which is logged.
   */
  walletSaveUri: string | null;
}

/** Returns the wallet links of a pass that shows this version of its template. */
export async function walletLinks(
  ctx: AccountContext,
  pass: Pass,
  templateVersion: number,
  issuer: GoogleIssuer | undefined,
): Promise<WalletLinks> {
  const card = await cardOf(ctx, pass, templateVersion);
  const link = await buildLink(ctx, card, issuer);
  if (issuer && link && !issuer.development) await ensurePublished(ctx, [card], issuer, link.form);
  return linksOf(ctx, pass, link);
}

/**
 * Returns the wallet links of a new or changed pass. A save link that only names the pass works once Google has it.
 * With `wait`, that happens before this returns; otherwise, or on failure, the queue does it. A Google failure never
 * fails the request: the pass is stored, and its caller would create it again.
 */
export async function publishLinks(
  ctx: AccountContext,
  pass: Pass,
  templateVersion: number,
  issuer: GoogleIssuer | undefined,
  { wait }: { wait: boolean },
): Promise<WalletLinks> {
  const card = await cardOf(ctx, pass, templateVersion);
  const link = await buildLink(ctx, card, issuer);
  // The save link of a bundle also names its passes.
  const form = pass.bundleId === null ? link?.form : 'skinny';
  if (issuer && link && form && isReachable(ctx, issuer) && (form === 'skinny' || !issuer.development)) {
    const known = { exists: Boolean(pass.googlePublishedAt), hasMessages: pass.googleHasMessages };
    const sent = wait && form === 'skinny' && (await isSent(ctx, { card, issuer, known }));
    if (!sent) await ensurePublished(ctx, [card], issuer, form);
  }
  return linksOf(ctx, pass, link);
}

/** Sends a card to Google. Returns whether Google has the current pass now. */
async function isSent(ctx: AccountContext, sent: SentCard): Promise<boolean> {
  try {
    return (await sendCard(ctx, sent)).state === 'current';
  } catch (error) {
    logLine('error', { event: 'google', requestId: ctx.requestId, pass: sent.card.id, error: describeError(error) });
    return false;
  }
}

/**
 * Returns the save link of a card for its holder, or null; see `WalletLinks`. `publish`: whether the holder can follow
 * it, so that Google must have what it names.
 */
export async function walletSaveUri(
  ctx: AccountContext,
  card: Card,
  issuer: GoogleIssuer | undefined,
  { publish = true } = {},
): Promise<string | null> {
  const link = await buildLink(ctx, card, issuer);
  if (issuer && link && publish) await ensurePublished(ctx, [card], issuer, link.form);
  return link?.url ?? null;
}

/**
 * Returns the link that saves several passes of one account, or null if none is for Google Wallet; see `WalletLinks`.
 */
export async function bundleSaveUri(
  ctx: AccountContext,
  cards: Card[],
  issuer: GoogleIssuer | undefined,
  { publish = true } = {},
): Promise<string | null> {
  const offered = cards.filter(isOffered);
  if (!issuer || !offered[0]) return null;
  if (offered.length === 1) return walletSaveUri(ctx, offered[0], issuer, { publish });
  const { url, form } = await buildBundleSaveLink(offered, await signerOf(ctx, issuer), { baseUrl: ctx.baseUrl });
  if (publish) await ensurePublished(ctx, offered, issuer, form);
  return url;
}

/** Returns whether one or several cards can have a save link. */
export function hasSaveLink(cards: Card[], issuer: GoogleIssuer | undefined): boolean {
  return issuer !== undefined && cards.some(isOffered);
}

function isOffered(card: Card): boolean {
  return card.walletApps.google && canShowAtGoogle(card);
}

async function cardOf(ctx: AccountContext, pass: Pass, templateVersion: number): Promise<Card> {
  const definition = await getDefinition(ctx, pass.templateId, templateVersion);
  const signer = await signerFor(ctx, definition);
  const keyed = await withRotatingKey(ctx, pass, definition);
  return resolveCard({ account: ctx.account, pass: keyed, definition, templateVersion, links: ctx, signer });
}

function linksOf(ctx: AccountContext, pass: Pass, link: SaveLink | undefined): WalletLinks {
  return { passFileUri: ctx.baseUrl + filePath(ctx.env, pass), walletSaveUri: link?.url ?? null };
}

/**
 * Requests the publication of passes that Google should have but doesn't: their link only names them, or they are older
 * than the Google issuer. The request is stored before anyone sees the link. In a local service, the dev inbox gets
 * passes with such links and passes whose pages were opened.
 */
async function ensurePublished(
  ctx: AccountContext,
  cards: Card[],
  issuer: GoogleIssuer,
  form: SaveLink['form'],
): Promise<void> {
  if (!isReachable(ctx, issuer)) return;
  const missing = cards.filter(({ googlePublishedAt = null }) =>
    form === 'skinny' ? !googlePublishedAt : googlePublishedAt === null,
  );
  if (missing.length === 0) return;
  const ids = missing.map(({ id }) => id);
  const jobs = ids.map((passId) => ({ type: 'publish-to-google', accountId: ctx.account.id, passId }) as const);
  // Losing an item of the dev inbox would do no harm.
  if (issuer.development) return enqueueSoon(ctx, jobs);
  try {
    await commit(ctx, [requestPublications(ctx, sql`${inArray(passes.id, ids)} and ${isOfAccount(ctx.account.id)}`)]);
  } catch (error) {
    // The pass is stored, so the request continues and relies on the queue alone.
    logLine('error', { event: 'google', requestId: ctx.requestId, pass: ids.join(), error: describeError(error) });
    enqueueSoon(ctx, jobs);
  }
}

async function buildLink(
  ctx: AccountContext,
  card: Card,
  issuer: GoogleIssuer | undefined,
): Promise<SaveLink | undefined> {
  if (!issuer || !isOffered(card)) return undefined;
  const inserted = Boolean(card.googlePublishedAt);
  try {
    return await buildSaveLink(card, await signerOf(ctx, issuer), { baseUrl: ctx.baseUrl, inserted });
  } catch (error) {
    // The pass is stored, and a list has others, so a card that Google can't represent doesn't fail the request.
    logLine('error', { event: 'save-link', requestId: ctx.requestId, pass: card.id, error: describeError(error) });
    return undefined;
  }
}
