import { importPKCS8 } from 'jose';
import { openGoogleIssuer } from '../../domain/certificates/find-google-issuer.ts';
import type { GoogleIssuer } from '../../domain/certificates/table.ts';
import type { Context } from '../../domain/context.ts';
import { Lru } from '../../platform/lru.ts';
import { endpointsOf, type GoogleEndpoints } from './endpoints.ts';

/** The service account of a Google Wallet issuer: it signs save links and calls the REST API. */
export interface GoogleSigner {
  /** Of our row, to which memory belongs; an email address or issuer ID is only claimed. */
  id: string;
  issuerId: string;
  clientEmail: string;
  /** RSA private key, imported for RS256. */
  key: CryptoKey;
  /** Made locally: links are well formed and verifiable, but Google does not know the account. */
  development: boolean;
  endpoints: GoogleEndpoints;
}

/** `privateKeyPem` is PKCS#8 PEM, as in Google's JSON key file; throws when it is no RSA key. */
export async function loadGoogleSigner({
  privateKeyPem,
  ...facts
}: Omit<GoogleSigner, 'key'> & { privateKeyPem: string }): Promise<GoogleSigner> {
  return { ...facts, key: await importPKCS8(privateKeyPem, 'RS256') };
}

const SIGNERS_MAX = 200;
const signers = new Lru<GoogleSigner>(SIGNERS_MAX);

/** The signer of a stored issuer; an isolate decrypts and imports a key once. */
export async function signerOf(ctx: Context, issuer: GoogleIssuer): Promise<GoogleSigner> {
  const held = signers.get(issuer.id);
  if (held) return held;
  const { privateKeyPem } = await openGoogleIssuer(ctx, [issuer]);
  const { id, issuerId, clientEmail, development } = issuer;
  const endpoints = endpointsOf(ctx.env, issuer);
  const signer = await loadGoogleSigner({ id, issuerId, clientEmail, privateKeyPem, development, endpoints });
  signers.set(issuer.id, signer);
  return signer;
}
