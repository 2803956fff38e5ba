import { createHmac } from 'node:crypto';
import { constantTimeEqual, sha256 } from '../../platform/crypto.ts';
import { deriveKeys } from '../../platform/encryption-keys.ts';
import { randomToken } from '../../platform/ids.ts';
import { alphanumericIn } from '../../platform/shard-tokens.ts';
import type { AccountContext } from '../context.ts';

/** Length of the part that finds shard and row; random bytes of the secret part, 43 characters of base64url. */
const LOOKUP_CHARS = 16;
const SECRET_BYTES = 32;

/** A value of a key, and what is stored of it. */
export interface KeyValue {
  apiKey: string;
  lookup: string;
  secretDigest: string;
}

/** A random value for a key in this shard. */
export function randomValue(shard: number): Promise<KeyValue> {
  return keyValue(alphanumericIn(shard, LOOKUP_CHARS), randomToken(SECRET_BYTES));
}

/** A value for a key of the account, the same in each repeat of a request; `purpose` must be unique in the request. */
export function newValue(ctx: AccountContext, lookup: string, purpose: string): Promise<KeyValue> {
  return keyValue(lookup, secretsFor(ctx, purpose)[0]!);
}

/** A random first part of a value. */
export function newLookup(shard: number): string {
  return alphanumericIn(shard, LOOKUP_CHARS);
}

/** The value that an earlier run of the request has stored; undefined where another one is stored by now. */
export async function valueAgain(
  ctx: AccountContext,
  stored: Pick<KeyValue, 'lookup' | 'secretDigest'>,
  purpose: string,
): Promise<string | undefined> {
  for (const secret of secretsFor(ctx, purpose)) {
    const { apiKey, secretDigest } = await keyValue(stored.lookup, secret);
    if (constantTimeEqual(secretDigest, stored.secretDigest)) return apiKey;
  }
  return undefined;
}

/**
 * Secrets that a request may have made. Only a digest is stored, so what a lost reply has shown must be made again:
 * under an `Idempotency-Key` it derives from the encryption keys, of which the first makes it.
 */
function secretsFor({ env, repeatable, identifiers }: AccountContext, purpose: string): string[] {
  const name = `secret ${purpose}`;
  const kept = identifiers?.get(name);
  if (kept !== undefined) return [kept];
  if (repeatable) {
    // With the time, as the same request under the same key is a new one a day later.
    const facts = JSON.stringify([repeatable.seed, repeatable.since, purpose]);
    return deriveKeys(env, 'api-key-value').map((key) => createHmac('sha256', key).update(facts).digest('base64url'));
  }
  const secret = randomToken(SECRET_BYTES);
  identifiers?.set(name, secret);
  return [secret];
}

async function keyValue(lookup: string, secret: string): Promise<KeyValue> {
  return { apiKey: `pk_${lookup}_${secret}`, lookup, secretDigest: await sha256(secret) };
}
