import { createPublicKey, type X509Certificate } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import { der, objectIdentifier, TAG, unsignedInteger } from '../../platform/asn1.ts';
import { toBase64 } from '../../platform/crypto.ts';
import { UUID_PATTERN } from '../../platform/ids.ts';
import { rowValues } from '../../platform/raw-statement.ts';
import { encrypt } from '../../platform/sealed-text.ts';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { DomainError, invalidField, notFound } from '../errors.ts';
import { newId, writeOnce } from '../write-once.ts';
import { type ImportedCertificate, importCertificate } from './import-certificate.ts';
import { getOwnCertificate, type OpenRequest } from './manage-certificates.ts';
import { openPrivateKey } from './private-keys.ts';
import { readCertificateFile, readUploadedFiles } from './read-files.ts';
import { spki, subjectOf } from './signing-material.ts';
import { type CertificateRequest, certificateRequests } from './table.ts';

/* Certificates without a Mac: the service creates the key and the signing request, and Apple issues the certificate. */

/** Maximum number of open requests of an account. */
const REQUESTS_MAX = 5;

/**
 * Creates a key and its signing request, for a new certificate or to renew one of the account. Returns the request's
 * identifier. Throws not found for a certificate that the account doesn't have, and `conflict` if five requests are
 * open.
 */
export async function requestCertificate(ctx: AccountContext, renewed: string | null): Promise<string> {
  const passTypeId = renewed === null ? null : (await getOwnCertificate(ctx, renewed)).passTypeId;
  const { privateKeyPem, requestPem } = await newSigningRequest(passTypeId ?? ctx.account.name);
  const id = newId(ctx, `certificate request ${renewed}`);
  const privateKeySealed = await encrypt(ctx.env, id, privateKeyPem);
  const row = { id, accountId: ctx.account.id, passTypeId, requestPem, privateKeySealed, createdAt: Date.now() };
  const ofAccount = eq(certificateRequests.accountId, ctx.account.id);
  const waiting = sql`(select count(*) from ${certificateRequests} where ${ofAccount})`;
  const target = { type: 'certificate_request', id, name: passTypeId };
  const stored = ctx.db.select({ id: certificateRequests.id }).from(certificateRequests).where(isOwn(ctx, id));
  const write = async () => {
    const [, , [found]] = await ctx.db.batch([
      ctx.db
        .insert(certificateRequests)
        .select(sql`select ${rowValues(certificateRequests, row)} where ${waiting} < ${REQUESTS_MAX}`),
      recordAction(ctx, { action: 'certificate.request', target }),
      stored,
    ]);
    if (found) return found;
    throw new DomainError('conflict', `there are ${REQUESTS_MAX} open signing requests; use or delete one first`);
  };
  await writeOnce(ctx, async () => (await stored)[0], write);
  return id;
}

function isOwn(ctx: AccountContext, id: string) {
  return and(eq(certificateRequests.id, id), eq(certificateRequests.accountId, ctx.account.id));
}

/** Returns an open request of the account. One round trip; throws not found. */
export async function getCertificateRequest(ctx: AccountContext, id: string): Promise<OpenRequest> {
  const { privateKeySealed: _, accountId: __, ...request } = await find(ctx, id);
  return request;
}

async function find(ctx: AccountContext, id: string): Promise<CertificateRequest> {
  if (!UUID_PATTERN.test(id)) throw notFound();
  const [found] = await ctx.db.select().from(certificateRequests).where(isOwn(ctx, id));
  if (!found) throw notFound();
  return found;
}

/** Files from Apple for a request: the `.cer` file, and the issuer's certificate if the service doesn't have it. */
interface IssuedFiles {
  certificate: Uint8Array | undefined;
  intermediate: Uint8Array | undefined;
}

/**
 * Stores the certificate that Apple issued for a request, with its key, and closes the request. Throws `invalid` for a
 * certificate of another request or, for a renewal, of another pass type, and what `importCertificate` throws.
 */
export async function completeRequest(
  ctx: AccountContext,
  id: string,
  { certificate, intermediate }: IssuedFiles,
  roots?: readonly string[],
): Promise<ImportedCertificate> {
  const request = await find(ctx, id);
  if (!certificate) throw invalidField('Certificate', 'is required', 'required');
  const privateKeyPem = await openPrivateKey(ctx.env, request);
  const issued = readCertificateFile('Certificate', certificate);
  requireFit(issued, request, privateKeyPem);
  const key = new TextEncoder().encode(privateKeyPem);
  const files = await readUploadedFiles({ certificate, key, intermediate, password: '' });
  const imported = await importCertificate(ctx, ctx.account.id, files, roots);
  // If this fails, the request stays, and uploading the same file again closes it.
  await ctx.db.delete(certificateRequests).where(isOwn(ctx, id));
  return imported;
}

function requireFit(issued: X509Certificate, { passTypeId }: CertificateRequest, privateKeyPem: string): void {
  if (spki(issued.publicKey) !== spki(createPublicKey(privateKeyPem))) {
    throw invalidField('Certificate', 'was issued for another signing request; upload this request to Apple');
  }
  const { UID } = subjectOf(issued);
  if (passTypeId !== null && UID !== passTypeId) {
    throw invalidField(
      'Certificate',
      `is for ${UID}; create a certificate for ${passTypeId} in the Apple Developer account`,
    );
  }
}

/** Deletes a request and its key; a certificate that Apple issues for it can't be used. Throws not found. */
export async function withdrawRequest(ctx: AccountContext, id: string): Promise<void> {
  if (!UUID_PATTERN.test(id)) throw notFound();
  const isTarget = isOwn(ctx, id)!;
  const target = { type: 'certificate_request', id, name: sql`${certificateRequests.passTypeId}` };
  await enterOnce(ctx, `withdraw certificate request ${id}`, async (entryId) => {
    const [, deleted] = await ctx.db.batch([
      recordAction(ctx, { id: entryId, action: 'certificate.withdraw', target, from: certificateRequests }, isTarget),
      ctx.db.delete(certificateRequests).where(isTarget).returning({ id: certificateRequests.id }),
    ]);
    if (deleted.length === 0) throw notFound();
  });
}

/** Apple requires RSA keys of 2,048 bits (Apple Developer, "Create a certificate signing request"). */
const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: Uint8Array.of(1, 0, 1),
  modulusLength: 2048,
};

const OID_COMMON_NAME = objectIdentifier('2.5.4.3');
const OID_SHA256_WITH_RSA = objectIdentifier('1.2.840.113549.1.1.11');
const VERSION_0 = unsignedInteger(Uint8Array.of(0));
/** Maximum number of characters of an `X.520` common name (RFC 5280, appendix A.1). */
const COMMON_NAME_CHARS_MAX = 64;

interface NewSigningRequest {
  /** PKCS#8 PEM. */
  privateKeyPem: string;
  /** PKCS#10 PEM (RFC 2986), which Apple accepts as `.certSigningRequest`. */
  requestPem: string;
}

/** Creates a key and the request for its certificate. Apple sets its own subject in the certificate. */
async function newSigningRequest(commonName: string): Promise<NewSigningRequest> {
  const { publicKey, privateKey } = (await crypto.subtle.generateKey(RSA, true, ['sign', 'verify'])) as CryptoKeyPair;
  const exported = (format: 'pkcs8' | 'spki', key: CryptoKey) => crypto.subtle.exportKey(format, key);
  const spki = new Uint8Array((await exported('spki', publicKey)) as ArrayBuffer);
  const pkcs8 = new Uint8Array((await exported('pkcs8', privateKey)) as ArrayBuffer);
  const name = new TextEncoder().encode([...commonName].slice(0, COMMON_NAME_CHARS_MAX).join(''));
  const subject = der(TAG.sequence, der(TAG.set, der(TAG.sequence, OID_COMMON_NAME, der(TAG.utf8String, name))));
  // Without attributes, which would be in the last part.
  const info = der(TAG.sequence, VERSION_0, subject, spki, der(TAG.context0));
  const signature = new Uint8Array(await crypto.subtle.sign(RSA.name, privateKey, info));
  const request = der(
    TAG.sequence,
    info,
    der(TAG.sequence, OID_SHA256_WITH_RSA, der(TAG.null)),
    // No bit of the last octet is unused.
    der(TAG.bitString, Uint8Array.of(0), signature),
  );
  return { privateKeyPem: pem('PRIVATE KEY', pkcs8), requestPem: pem('CERTIFICATE REQUEST', request) };
}

function pem(label: string, bytes: Uint8Array): string {
  const lines = toBase64(bytes).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
