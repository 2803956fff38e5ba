import { createPrivateKey } from 'node:crypto';
import { base64url } from '../../../platform/ids.ts';
import { Lru } from '../../../platform/lru.ts';

/** A key for Apple's push service, from the developer account. */
export interface ProviderKey {
  keyId: string;
  teamId: string;
  /** The `.p8` file: PKCS#8 PEM on P-256. */
  privateKeyPem: string;
}

/** Apple refuses tokens older than an hour, and providers that change their token more than once in 20 minutes. */
export const TOKEN_SECONDS = 40 * 60;

const TOKENS_CACHED_MAX = 200;
const tokens = new Lru<string>(TOKENS_CACHED_MAX);

/**
 * Returns the provider token (a JWT, ES256) for `now` (UTC milliseconds). All isolates create the same text for 40
 * minutes, with a nonce derived from key and text (RFC 6979): they share connections to Apple, which rejects tokens
 * that change too often (429 TooManyProviderTokenUpdates).
 */
export async function providerToken(key: ProviderKey, now: number): Promise<string> {
  const issuedAt = Math.floor(now / 1_000 / TOKEN_SECONDS) * TOKEN_SECONDS;
  const name = `${key.teamId} ${key.keyId} ${issuedAt} ${key.privateKeyPem}`;
  const known = tokens.get(name);
  if (known) return known;
  const token = await signToken(key, issuedAt);
  tokens.set(name, token);
  return token;
}

/** Signs a token. The curve is imported on demand, because it is needed only once in 40 minutes. */
async function signToken({ keyId, teamId, privateKeyPem }: ProviderKey, issuedAt: number): Promise<string> {
  const { p256 } = await import('../../../platform/p256.ts');
  const { d } = createPrivateKey(privateKeyPem).export({ format: 'jwk' });
  const unsigned = [
    { alg: 'ES256', kid: keyId },
    { iss: teamId, iat: issuedAt },
  ]
    .map((part) => base64url(Buffer.from(JSON.stringify(part))))
    .join('.');
  const secret = Buffer.from(d!, 'base64url');
  const signature = p256.sign(new TextEncoder().encode(unsigned), secret, { prehash: true, lowS: false });
  return `${unsigned}.${base64url(signature)}`;
}
