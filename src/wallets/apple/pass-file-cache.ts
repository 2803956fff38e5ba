import { openPrivateKey } from '../../domain/certificates/private-keys.ts';
import type { Certificate } from '../../domain/certificates/table.ts';
import type { Context } from '../../domain/context.ts';
import { getAsset } from '../../domain/images/find-image.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { sha256 } from '../../platform/crypto.ts';
import { shardOf } from '../../platform/ids.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { Lru } from '../../platform/lru.ts';
import { sealFile, unsealFile } from '../../platform/sealed-text.ts';
import { readAirports } from './airports.ts';
import { buildPassFile } from './pkpass.ts';
import { loadSigner, type Signer } from './signature.ts';

/** One object per pass: a newer version replaces an older one, and deleting a pass deletes one key. */
const FOLDER = 'pass-files/';
const keyOf = (passId: string) => `${FOLDER}${passId}.pkpass`;

/**
 * Metadata that identifies the content of an encrypted object. Files from before encryption have a different name for
 * it.
 */
const CONTENT = 'sealed-fingerprint';
const SEALED_TYPE = 'application/octet-stream';

/**
 * Returns the signed pass file of a pass. Reads it from the bucket if it was built from the same versions and
 * certificate. Otherwise builds it and stores it in the background, encrypted because it contains secrets of the pass.
 * `known` is its fingerprint.
 */
export async function readPassFile(
  shown: PublicPass,
  certificate: Certificate,
  known?: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const { ctx, card } = shown;
  const fingerprint = known ?? (await fingerprintOf(shown, certificate));
  const kept = await ctx.env.FILES.get(keyOf(card.id));
  const opened = kept?.customMetadata?.[CONTENT] === fingerprint ? await openFile(ctx, card.id, kept) : undefined;
  if (opened) return opened;
  if (!kept?.bodyUsed) await kept?.body.cancel();
  const body = await makePassFile(shown, certificate);
  const options = { httpMetadata: { contentType: SEALED_TYPE }, customMetadata: { [CONTENT]: fingerprint } };
  ctx.waitUntil(ctx.env.FILES.put(keyOf(card.id), sealFile(ctx.env, card.id, body), options));
  return body;
}

/** Builds and signs the pass file of a pass without using the bucket. */
export async function makePassFile(
  { ctx, card }: PublicPass,
  certificate: Certificate,
): Promise<Uint8Array<ArrayBuffer>> {
  const { passTypeId, teamId, development } = certificate;
  const webServiceUrl = ctx.baseUrl + webServicePath(shardOf(card.id));
  const signer = await signerOf(ctx, certificate);
  const signing = { passTypeId, teamId, webServiceUrl, signer, readAirports: () => readAirports(ctx.env) };
  const body = await buildPassFile(card, signing, (variant) => getAsset(ctx, variant));
  if (development) logLine('info', { event: 'development-signature', requestId: ctx.requestId, pass: card.id });
  return body;
}

/** Opens a stored file. Returns undefined if no key opens it, so that it is built again. */
async function openFile(ctx: Context, passId: string, kept: R2ObjectBody) {
  const sealed = await kept.bytes();
  try {
    return unsealFile(ctx.env, passId, sealed);
  } catch (error) {
    logLine('error', { event: 'pass-file', requestId: ctx.requestId, pass: passId, error: describeError(error) });
    return undefined;
  }
}

/** Returns whether a stored file is from before encryption. */
const isOpen = ({ customMetadata }: R2Object) => customMetadata?.[CONTENT] === undefined;

/** Files that R2 lists or deletes in one call. */
const LISTED_MAX = 1_000;

/**
 * Deletes a page of unencrypted old files after a key; they are built again when requested. Returns the key to continue
 * after, or null at the end.
 */
export async function deleteOpenFiles(ctx: Context, after: string): Promise<string | null> {
  const { FILES } = ctx.env;
  const startAfter = after === '' ? undefined : after;
  const page = await FILES.list({ prefix: FOLDER, limit: LISTED_MAX, startAfter, include: ['customMetadata'] });
  const open = page.objects.filter(isOpen).map(({ key }) => key);
  if (open.length > 0) await FILES.delete(open);
  return page.truncated ? (page.objects.at(-1)?.key ?? after) : null;
}

/** Deletes the stored files of passes, at most 1,000 at a time (R2's own limit). */
export async function deletePassFiles(ctx: Context, passIds: string[]): Promise<void> {
  await ctx.env.FILES.delete(passIds.map(keyOf));
}

/** Returns the fingerprint of a pass file: everything that determines its bytes, except the time of its signature. */
export async function fingerprintOf({ ctx, card }: PublicPass, certificate: Certificate): Promise<string> {
  const { timezone, language } = ctx.account;
  const { id, passVersion, passRevision, templateVersion, signingKeyId } = card;
  const shown = [passVersion, passRevision, templateVersion];
  const parts = [id, ...shown, certificate.id, ctx.baseUrl, timezone, language, signingKeyId];
  return (await sha256(JSON.stringify(parts))).slice(0, 32);
}

const signers = new Lru<Signer>(200);

async function signerOf(ctx: Context, certificate: Certificate): Promise<Signer> {
  const held = signers.get(certificate.id);
  if (held) return held;
  const privateKeyPem = await openPrivateKey(ctx.env, certificate);
  const { certificatePem, intermediatePem } = certificate;
  const signer = await loadSigner({ certificatePem, intermediatePem, privateKeyPem });
  signers.set(certificate.id, signer);
  return signer;
}

/**
 * Returns the path at which devices get updates. It contains the shard, except the first, which older passes don't
 * name.
 */
export function webServicePath(shard: number): string {
  return `/wallet/apple${shard === 0 ? '' : `/${shard}`}`;
}
