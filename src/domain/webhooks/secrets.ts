import { toBase64 } from '../../platform/crypto.ts';
import type { Env } from '../../platform/env.ts';
import { Lru } from '../../platform/lru.ts';
import { decryptSync, encrypt } from '../../platform/sealed-text.ts';

/** Standard Webhooks requires 24 to 64 random bytes. */
const SECRET_BYTES = 32;

/** Creates a secret in the form that receivers configure (Standard Webhooks, "Symmetric keys"). */
export function newSecret(): string {
  return `whsec_${toBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))}`;
}

const OPENED_MAX = 2_000;
/** Decrypted texts by subscription and sealed text: a sealed text is valid only in the row that it was sealed for. */
const opened = new Lru<string>(OPENED_MAX);

/** Encrypts a secret or token of a subscription for its row. */
export function seal(env: Env, subscriptionId: string, plain: string): Promise<string> {
  return encrypt(env, subscriptionId, plain);
}

/** Decrypts the result of `seal`; an isolate decrypts each text once. */
export function unseal(env: Env, subscriptionId: string, sealed: string): string {
  const name = `${subscriptionId} ${sealed}`;
  const known = opened.get(name);
  if (known !== undefined) return known;
  const plain = decryptSync(env, subscriptionId, sealed);
  opened.set(name, plain);
  return plain;
}
