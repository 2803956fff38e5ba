import type { GoogleIssuer } from '../../domain/certificates/table.ts';
import type { Context } from '../../domain/context.ts';
import type { Card } from '../../domain/passes/card.ts';
import { findPublicPassById } from '../../domain/passes/find-page.ts';
import { logLine } from '../../platform/log.ts';
import { WalletObjects, type WalletReply } from './client.ts';
import { buildClass } from './pass-class.ts';
import { buildObject } from './pass-object.ts';
import { signerOf } from './signer.ts';

/**
 * Makes class and object of a card exist at Google as the card shows them. A development issuer is unknown to Google: nothing is sent then, and the outcome is
 * `denied`. What Google refuses is logged.
 */
export async function publishCard(ctx: Context, card: Card, issuer: GoogleIssuer): Promise<WalletReply> {
  if (issuer.development) return { outcome: 'denied', message: 'the issuer was made for development' };
  const options = { issuerId: issuer.issuerId, baseUrl: ctx.baseUrl };
  const google = new WalletObjects(await signerOf(ctx, issuer));
  let reply = await google.upsertClass(buildClass(card, options));
  if (reply.outcome === 'ok') reply = await google.upsertObject(buildObject(card, options));
  if (reply.outcome !== 'ok') logLine('error', { event: 'google', requestId: ctx.requestId, pass: card.id, ...reply });
  return reply;
}

/** Whether trying again is pointless: Google has the card, or will not take it. */
export function isSettled({ outcome }: WalletReply): boolean {
  return outcome !== 'unavailable' && outcome !== 'quota';
}

/** Job: publishes what a pass shows now; throws when Google shall be asked again. A pass that is gone needs nothing. */
export async function publishToGoogle(ctx: Context, passId: string): Promise<void> {
  const shown = await findPublicPassById(ctx, passId);
  if (!shown?.googleIssuer || !shown.card.walletApps.google) return;
  const reply = await publishCard(ctx, shown.card, shown.googleIssuer);
  if (!isSettled(reply))
    throw new Error(`Google Wallet: ${reply.outcome} ${reply.status ?? ''} ${reply.message ?? ''}`);
}
