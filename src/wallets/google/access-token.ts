import { SignJWT } from 'jose';
import type { GoogleSigner } from './signer.ts';

/** Who the assertion is for, wherever it is sent. */
const AUDIENCE = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/wallet_object.issuer';
const ASSERTION_SECONDS = 60 * 60;
/** A token this close to its end is replaced, so that none expires on its way. */
const RENEWAL_MS = 5 * 60_000;

interface Token {
  value: string;
  /** UTC milliseconds. */
  expiresAt: number;
}

/**
 * Tokens by the row and email address of their service account, for the life of the isolate. Tokens and not promises
 * are kept: workerd ties a pending fetch to the request that started it, and a failure must not be remembered.
 */
const tokens = new Map<string, Token>();
const nameOf = ({ id, clientEmail }: GoogleSigner) => `${id} ${clientEmail}`;

/** A token, or Google's answer when it gave none. */
export type TokenReply = { token: string } | { refused: Response };

/**
 * An OAuth access token of the service account (RFC 7523: an RS256 assertion for a bearer token), from the cache when
 * it still holds for five minutes. Network errors and time-outs are thrown.
 */
export async function accessToken(
  signer: GoogleSigner,
  send: (url: string, init: RequestInit) => Promise<Response>,
  now: number,
): Promise<TokenReply> {
  const cached = tokens.get(nameOf(signer));
  if (cached && cached.expiresAt - RENEWAL_MS > now) return { token: cached.value };
  const response = await send(signer.endpoints.tokenUrl, {
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

/** Forgets a token that Google no longer takes. */
export function forgetToken(signer: GoogleSigner): void {
  tokens.delete(nameOf(signer));
}

function assertion({ clientEmail, key }: GoogleSigner, now: number): Promise<string> {
  const iat = Math.floor(now / 1_000);
  const claims = { iss: clientEmail, scope: SCOPE, aud: AUDIENCE, iat, exp: iat + ASSERTION_SECONDS };
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'JWT' }).sign(key);
}
