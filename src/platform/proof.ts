import { createHmac } from 'node:crypto';
import { constantTimeEqual } from './crypto.ts';
import { deriveKeys, type KeySettings } from './sealed-text.ts';

/** The subject of a proof. `purpose` separates this use of the encryption keys from all others (RFC 5869 §3.2). */
export interface Proven {
  purpose: string;
  facts: unknown[];
}

/**
 * Returns a text that proves until `endsAt` (UTC milliseconds) that its holder knew a secret: that time, and a MAC over
 * it and the facts. Nothing is stored.
 */
export function proofOf(settings: KeySettings, proven: Proven, endsAt: number): string {
  return `${endsAt}.${mac(deriveKeys(settings, proven.purpose)[0], proven, endsAt)}`;
}

/** Returns whether a text is a proof of these facts that is valid at `now`. */
export function isProofOf(settings: KeySettings, proven: Proven, text: string | undefined, now: number): boolean {
  const [, endsAt, given] = /^(\d{1,16})\.([\w-]+)$/.exec(text ?? '') ?? [];
  if (given === undefined || Number(endsAt) <= now) return false;
  const keys = deriveKeys(settings, proven.purpose);
  return keys.some((key) => constantTimeEqual(given, mac(key, proven, Number(endsAt))));
}

function mac(key: Uint8Array, { facts }: Proven, endsAt: number): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([...facts, endsAt]))
    .digest('base64url');
}
