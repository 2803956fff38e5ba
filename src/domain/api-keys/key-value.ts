import { createHmac } from 'node:crypto';
import { constantTimeEqual, sha256 } from '../../platform/crypto.ts';
import { deriveKeys } from '../../platform/encryption-keys.ts';
import { randomToken } from '../../platform/ids.ts';
import { alphanumericIn } from '../../platform/shard-tokens.ts';
import type { AccountContext } from '../context.ts';

/** Characters of the part that finds shard and row, and random bytes of the secret: 43 characters of base64url. */
const LOOKUP_CHARS = 16;
const SECRET_BYTES = 32;

/** A key's value, and the parts of it that are stored. */
export interface KeyValue {
  apiKey: string;
  lookup: string;
  secretDigest: string;
}

/** Returns a random value for a key in this shard. */
export function randomValue(shard: number): Promise<KeyValue> {
  return keyValue(alphanumericIn(shard, LOOKUP_CHARS), randomToken(SECRET_BYTES));
}

/** Returns a value for a key, the same in each repeat of a request. `purpose` must be unique in the request. */
export function newValue(ctx: AccountContext, lookup: string, purpose: string): Promise<KeyValue> {
  return keyValue(lookup, secretsFor(ctx, purpose)[0]!);
}

/** Returns a random first part of a value. */
export function newLookup(shard: number): string {
  return alphanumericIn(shard, LOOKUP_CHARS);
}

/** Returns the value that an earlier run of the request stored, or undefined if the key has another value by now. */
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
 * Returns the secrets that a request may have made. Only a digest is stored, so a repeat must make the secret of a lost
 * reply again. With an `Idempotency-Key`, it derives from the encryption keys; the first one makes new secrets.
 */
function secretsFor({ env, repeatable, identifiers }: AccountContext, purpose: string): string[] {
  const name = `secret ${purpose}`;
  const kept = identifiers?.get(name);
  if (kept !== undefined) return [kept];
  if (repeatable) {
    // Includes the time: the same request with the same key is a new one a day later.
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
