import { importPKCS8, SignJWT } from 'jose';
import { openPrivateKey } from '../../domain/certificates/private-keys.ts';
import type { GoogleIssuer } from '../../domain/certificates/table.ts';
import type { Context } from '../../domain/context.ts';
import { Lru } from '../../platform/lru.ts';
import { endpointsOf, type GoogleEndpoints, type HttpCall } from './call-google.ts';

/** The service account of a Google Wallet issuer. It signs save links and calls the REST API. */
export interface GoogleSigner {
  /** ID of our row, which keys the caches: an e-mail address or issuer ID is only claimed. */
  id: string;
  issuerId: string;
  clientEmail: string;
  /** RSA private key, imported for RS256. */
  key: CryptoKey;
  /** Created locally: links are well-formed and verifiable, but Google doesn't know the account. */
  development: boolean;
  endpoints: GoogleEndpoints;
}

/** Loads a signer. `privateKeyPem` is PKCS#8 PEM, as in Google's JSON key file. Throws if it isn't an RSA key. */
export async function loadGoogleSigner({
  privateKeyPem,
  ...facts
}: Omit<GoogleSigner, 'key'> & { privateKeyPem: string }): Promise<GoogleSigner> {
  return { ...facts, key: await importPKCS8(privateKeyPem, 'RS256') };
}

const SIGNERS_MAX = 200;
const signers = new Lru<GoogleSigner>(SIGNERS_MAX);

/** Returns the signer of a stored issuer. Each isolate decrypts and imports a key only once. */
export async function signerOf(ctx: Context, issuer: GoogleIssuer): Promise<GoogleSigner> {
  const held = signers.get(issuer.id);
  if (held) return held;
  const privateKeyPem = await openPrivateKey(ctx.env, issuer);
  const { id, issuerId, clientEmail, development } = issuer;
  const endpoints = endpointsOf(ctx.env, issuer);
  const signer = await loadGoogleSigner({ id, issuerId, clientEmail, privateKeyPem, development, endpoints });
  signers.set(issuer.id, signer);
  return signer;
}

/** Audience of the assertion, whatever URL it is sent to. */
const AUDIENCE = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/wallet_object.issuer';
const ASSERTION_SECONDS = 60 * 60;
/** A token this close to its expiration is replaced, so that none expires in transit. */
const RENEWAL_MS = 5 * 60_000;

interface Token {
  value: string;
  /** UTC milliseconds. */
  expiresAt: number;
}

/**
 * Tokens by row and e-mail address of their service account, cached in the isolate. Stores tokens instead of promises:
 * workerd ties a pending fetch to its request, and a failure must not be cached.
 */
const tokens = new Lru<Token>(SIGNERS_MAX);
const nameOf = ({ id, clientEmail }: GoogleSigner) => `${id} ${clientEmail}`;

/** A token, or Google's reply if it returned none. */
type TokenReply = { token: string } | { refused: Response };

/**
 * Returns an OAuth access token of the service account (RFC 7523: an RS256 assertion for a bearer token), from the
 * cache if it is valid for another five minutes. Throws network errors and timeouts.
 */
export async function accessToken(
  signer: GoogleSigner,
  send: (call: HttpCall) => Promise<Response>,
  now: number,
): Promise<TokenReply> {
  const cached = tokens.get(nameOf(signer));
  if (cached && cached.expiresAt - RENEWAL_MS > now) return { token: cached.value };
  const response = await send({
    url: signer.endpoints.tokenUrl,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: await assertion(signer, now),
    }).toString(),
  });
  if (!response.ok) return { refused: response };
  const body = (await response.json()) as { access_token?: unknown; expires_in?: unknown };
  if (typeof body.access_token !== 'string') throw new Error('the token endpoint answered without a token');
  const seconds = typeof body.expires_in === 'number' ? body.expires_in : 0;
  tokens.set(nameOf(signer), { value: body.access_token, expiresAt: now + seconds * 1_000 });
  return { token: body.access_token };
}

/** Forgets a token that Google no longer accepts. */
export function forgetToken(signer: GoogleSigner): void {
  tokens.delete(nameOf(signer));
}

function assertion({ clientEmail, key }: GoogleSigner, now: number): Promise<string> {
  const iat = Math.floor(now / 1_000);
  const claims = { iss: clientEmail, scope: SCOPE, aud: AUDIENCE, iat, exp: iat + ASSERTION_SECONDS };
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'JWT' }).sign(key);
}
