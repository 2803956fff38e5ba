import type { GoogleIssuer } from '../domain/certificates/table.ts';
import { type AccountContext, enqueue } from '../domain/context.ts';
import type { Card } from '../domain/passes/card.ts';
import { filePath } from '../domain/passes/links.ts';
import { resolveCard } from '../domain/passes/resolve-card.ts';
import type { Pass } from '../domain/passes/table.ts';
import { signerFor } from '../domain/signing-keys/signer.ts';
import { loadDefinition } from '../domain/templates/load-definition.ts';
import { buildBundleSaveLink, buildSaveLink, type SaveLink } from './google/save-link.ts';
import { isReachable, sendCard } from './google/send-card.ts';
import { signerOf } from './google/signer.ts';

/** Where a holder gets a pass: the direct links of both wallets. */
export interface WalletLinks {
  passFileUri: string;
  /** Null when neither the account nor the service has a Google Wallet issuer, or the template leaves Google out. */
  walletSaveUri: string | null;
}

/** The wallet links of a pass that shows the given version of its template. */
export async function walletLinks(
  ctx: AccountContext,
  pass: Pass,
  templateVersion: number,
  issuer: GoogleIssuer | undefined,
): Promise<WalletLinks> {
  const card = await cardOf(ctx, pass, templateVersion);
  return linksOf(ctx, pass, await saveLink(ctx, card, issuer));
}

/**
 * The wallet links of a new or changed pass. A save link that only names the pass works once Google has it: that is done before this returns
 * with `wait`, otherwise (and when Google does not answer) by the queue.
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
  if (issuer && link && !isNamedOnly(pass, link)) ctx.waitUntil(ensurePublished(ctx, [card], issuer, link.form));
  if (issuer && link && isNamedOnly(pass, link) && isReachable(ctx, issuer)) {
    const known = { exists: Boolean(pass.googlePublishedAt), hasMessages: pass.googleHasMessages };
    const sent = wait && (await sendCard(ctx, { card, issuer, known })).state === 'current';
    if (!sent && !known.exists) await enqueue(ctx, [{ type: 'publish-to-google', passId: pass.id }]);
  }
  return linksOf(ctx, pass, link);
}

/** Whether the holder's link takes it for granted that Google has the pass; the one save link of a bundle names its passes, too. */
function isNamedOnly(pass: Pass, { form }: SaveLink): boolean {
  return form === 'skinny' || pass.bundleId !== null;
}

/** The save link of a card, or null; see `WalletLinks`. */
export async function walletSaveUri(
  ctx: AccountContext,
  card: Card,
  issuer: GoogleIssuer | undefined,
): Promise<string | null> {
  return (await saveLink(ctx, card, issuer))?.url ?? null;
}

/** The link that saves several passes of one account at once, or null when Google Wallet has none of them; see `WalletLinks`. */
export async function bundleSaveUri(
  ctx: AccountContext,
  cards: Card[],
  issuer: GoogleIssuer | undefined,
): Promise<string | null> {
  const offered = cards.filter((card) => card.walletApps.google);
  if (!issuer || !offered[0]) return null;
  if (offered.length === 1) return walletSaveUri(ctx, offered[0], issuer);
  const { url, form } = await buildBundleSaveLink(offered, await signerOf(ctx, issuer), { baseUrl: ctx.baseUrl });
  ctx.waitUntil(ensurePublished(ctx, offered, issuer, form));
  return url;
}

async function cardOf(ctx: AccountContext, pass: Pass, templateVersion: number): Promise<Card> {
  const definition = await loadDefinition(ctx, pass.templateId, templateVersion);
  const signer = await signerFor(ctx, definition);
  return resolveCard({ account: ctx.account, pass, definition, templateVersion, baseUrl: ctx.baseUrl, signer });
}

function linksOf(ctx: AccountContext, pass: Pass, link: SaveLink | undefined): WalletLinks {
  return { passFileUri: ctx.baseUrl + filePath(pass), walletSaveUri: link?.url ?? null };
}

/** The save link of a card that is being handed out, undefined when there is none. */
async function saveLink(
  ctx: AccountContext,
  card: Card,
  issuer: GoogleIssuer | undefined,
): Promise<SaveLink | undefined> {
  const link = await buildLink(ctx, card, issuer);
  if (issuer && link) ctx.waitUntil(ensurePublished(ctx, [card], issuer, link.form));
  return link;
}

/**
 * Hands those passes to the queue that Google must have by now and has not: a link only names them (they came by a bulk operation, or their job got lost), or they were
 * made before there was an issuer that Google knows, and a later change must find them there.
 */
async function ensurePublished(
  ctx: AccountContext,
  cards: Card[],
  issuer: GoogleIssuer,
  form: SaveLink['form'],
): Promise<void> {
  if (issuer.development) return;
  const missing = cards.filter(({ googlePublishedAt = null }) =>
    form === 'skinny' ? !googlePublishedAt : googlePublishedAt === null,
  );
  await enqueue(
    ctx,
    missing.map(({ id }) => ({ type: 'publish-to-google', passId: id })),
  );
}

async function buildLink(
  ctx: AccountContext,
  card: Card,
  issuer: GoogleIssuer | undefined,
): Promise<SaveLink | undefined> {
  if (!issuer || !card.walletApps.google) return undefined;
  const inserted = Boolean(card.googlePublishedAt);
  return buildSaveLink(card, await signerOf(ctx, issuer), { baseUrl: ctx.baseUrl, inserted });
}
