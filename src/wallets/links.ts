import { loadDefinition } from '../domain/templates/load-definition.ts';
import { openGoogleIssuer } from '../domain/certificates/find-google-issuer.ts';
import type { GoogleIssuer } from '../domain/certificates/table.ts';
import type { AccountContext } from '../domain/context.ts';
import type { Card } from '../domain/passes/card.ts';
import { filePath } from '../domain/passes/links.ts';
import { resolveCard } from '../domain/passes/resolve-card.ts';
import type { Pass } from '../domain/passes/table.ts';
import { Lru } from '../platform/lru.ts';
import { buildSaveLink } from './google/save-link.ts';
import { type GoogleSigner, loadGoogleSigner } from './google/signer.ts';

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
  const definition = await loadDefinition(ctx, pass.templateId, templateVersion);
  const card = resolveCard({ account: ctx.account, pass, definition, templateVersion });
  return { passFileUri: ctx.baseUrl + filePath(pass), walletSaveUri: await walletSaveUri(ctx, card, issuer) };
}

/** The save link of a card, or null; see `WalletLinks`. */
export async function walletSaveUri(
  ctx: AccountContext,
  card: Card,
  issuer: GoogleIssuer | undefined,
): Promise<string | null> {
  if (!issuer || !card.walletApps.google) return null;
  const link = await buildSaveLink(card, await signerOf(ctx, issuer), { baseUrl: ctx.baseUrl });
  return link.url;
}

const signers = new Lru<GoogleSigner>(200);

async function signerOf(ctx: AccountContext, issuer: GoogleIssuer): Promise<GoogleSigner> {
  const held = signers.get(issuer.id);
  if (held) return held;
  const { privateKeyPem } = await openGoogleIssuer(ctx, [issuer]);
  const { issuerId, clientEmail, development } = issuer;
  const signer = await loadGoogleSigner({ issuerId, clientEmail, privateKeyPem, development });
  signers.set(issuer.id, signer);
  return signer;
}
