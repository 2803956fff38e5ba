import { createHmac } from 'node:crypto';
import { constantTimeEqual } from './crypto.ts';
import { deriveKeys, type KeySettings } from './encryption-keys.ts';

/** What a proof is of; `purpose` sets this use of the encryption keys apart from all others (RFC 5869 §3.2). */
export interface Proven {
  purpose: string;
  facts: unknown[];
}

/**
 * A text that shows until `endsAt` (UTC milliseconds) that its holder once knew a secret: that time, and a MAC over it
 * and the facts. Nothing is stored.
 */
export function proofOf(settings: KeySettings, proven: Proven, endsAt: number): string {
  return `${endsAt}.${mac(deriveKeys(settings, proven.purpose)[0], proven, endsAt)}`;
}

/** Whether a text is a proof of these facts that is still good at `now`. */
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
