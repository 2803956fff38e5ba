import { openSigningCertificate } from '../../domain/certificates/find-signing-certificate.ts';
import type { Certificate } from '../../domain/certificates/table.ts';
import type { Context } from '../../domain/context.ts';
import { loadAsset } from '../../domain/images/read-image.ts';
import type { PublicPass } from '../../domain/passes/find-page.ts';
import { sha256 } from '../../platform/crypto.ts';
import { logLine } from '../../platform/log.ts';
import { Lru } from '../../platform/lru.ts';
import { buildPassFile } from './pkpass.ts';
import { loadSigner, type Signer } from './signature.ts';

const PASS_FILE_TYPE = 'application/vnd.apple.pkpass';

/** One object a pass: a newer version replaces an older one, and deleting a pass deletes one key. */
const keyOf = (passId: string) => `pass-files/${passId}.pkpass`;

/**
 * The signed pass file of what a pass shows now. A file that was built from the same versions and certificate is read from the bucket; otherwise it is built,
 * and kept once the reply is under way. `known` is its fingerprint.
 */
export async function readPassFile(
  shown: PublicPass,
  certificate: Certificate,
  known?: string,
): Promise<ReadableStream | Uint8Array<ArrayBuffer>> {
  const { ctx, card } = shown;
  const fingerprint = known ?? (await fingerprintOf(shown, certificate));
  const kept = await ctx.env.FILES.get(keyOf(card.id));
  if (kept?.customMetadata?.fingerprint === fingerprint) return kept.body;
  await kept?.body.cancel();
  const { passTypeId, teamId, development } = certificate;
  const webServiceUrl = `${ctx.baseUrl}/wallet/apple`;
  const signer = await signerOf(ctx, certificate);
  const body = await buildPassFile(card, { passTypeId, teamId, webServiceUrl, signer }, (variant) =>
    loadAsset(ctx, variant),
  );
  if (development) logLine('info', { event: 'development-signature', requestId: ctx.requestId, pass: card.id });
  const options = { httpMetadata: { contentType: PASS_FILE_TYPE }, customMetadata: { fingerprint } };
  ctx.waitUntil(ctx.env.FILES.put(keyOf(card.id), body, options));
  return body;
}

/** Removes what is kept of deleted passes, at most 1,000 at a time (R2's own limit). */
export async function deletePassFiles(ctx: Context, passIds: string[]): Promise<void> {
  await ctx.env.FILES.delete(passIds.map(keyOf));
}

/** Names the content of a pass file: everything that decides its bytes, beside the time of its signature. */
export async function fingerprintOf({ ctx, card }: PublicPass, certificate: Certificate): Promise<string> {
  const { timezone, language } = ctx.account;
  const { id, passVersion, templateVersion, signingKeyId } = card;
  const parts = [id, passVersion, templateVersion, certificate.id, ctx.baseUrl, timezone, language, signingKeyId];
  return (await sha256(JSON.stringify(parts))).slice(0, 32);
}

const signers = new Lru<Signer>(200);

async function signerOf(ctx: Context, certificate: Certificate): Promise<Signer> {
  const held = signers.get(certificate.id);
  if (held) return held;
  const { privateKeyPem } = await openSigningCertificate(ctx, [certificate]);
  const { certificatePem, intermediatePem } = certificate;
  const signer = await loadSigner({ certificatePem, intermediatePem, privateKeyPem });
  signers.set(certificate.id, signer);
  return signer;
}
