import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '../../../platform/crypto.ts';
import { deriveKeys } from '../../../platform/encryption-keys.ts';
import type { Context } from '../../context.ts';
import type { Pass } from '../table.ts';

/** How long a right PIN opens the page. */
export const PIN_PROOF_MINUTES = 30;

/** Sets this use of the secret apart from all others (RFC 5869 §3.2). */
const KEY_PURPOSE = 'download-pin';

type Proven = Pick<Pass, 'id' | 'downloadPin'>;

/**
 * A text that shows for half an hour that its holder knew the PIN of the pass: when it ends, and a MAC over that, the
 * pass and the PIN under a key that the current encryption key gives. Nothing is stored, and a new PIN ends it. `now`
 * is UTC milliseconds.
 */
export function provePin(ctx: Context, pass: Proven, now = Date.now()): string {
  const endsAt = now + PIN_PROOF_MINUTES * 60_000;
  const [key] = deriveKeys(ctx.env, KEY_PURPOSE);
  return `${endsAt}.${mac(key, pass, endsAt)}`;
}

/** Whether a text is a proof for the PIN that the pass has now. */
export function isPinProof(ctx: Context, pass: Proven, proof: string | undefined, now = Date.now()): boolean {
  const [, endsAt, given] = /^(\d{1,16})\.([\w-]+)$/.exec(proof ?? '') ?? [];
  if (given === undefined || Number(endsAt) <= now) return false;
  return deriveKeys(ctx.env, KEY_PURPOSE).some((key) => constantTimeEqual(given, mac(key, pass, Number(endsAt))));
}

function mac(key: Uint8Array, pass: Proven, endsAt: number): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([pass.id, pass.downloadPin, endsAt]))
    .digest('base64url');
}
