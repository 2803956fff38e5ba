import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '../../platform/crypto.ts';
import { deriveKeys } from '../../platform/encryption-keys.ts';
import type { Context } from '../context.ts';
import type { AppConfigurationLink } from './table.ts';

/** How long a right PIN opens an expired link: a shift at the door. */
export const LINK_PROOF_HOURS = 12;

/** Sets this use of the secret apart from all others (RFC 5869 §3.2). */
const KEY_PURPOSE = 'scan-link-pin';

/**
 * A text that shows for twelve hours that its holder knew the PIN of the link: when it ends, and a MAC over that and
 * the link. Nothing is stored. `now` is UTC milliseconds.
 */
export function proveLink(ctx: Context, link: Pick<AppConfigurationLink, 'id'>, now = Date.now()): string {
  const endsAt = now + LINK_PROOF_HOURS * 60 * 60_000;
  const [key] = deriveKeys(ctx.env, KEY_PURPOSE);
  return `${endsAt}.${mac(key, link, endsAt)}`;
}

/** Whether a text is a proof for this link that is still good. */
export function isLinkProof(
  ctx: Context,
  link: Pick<AppConfigurationLink, 'id'>,
  proof: string | undefined,
  now = Date.now(),
): boolean {
  const [, endsAt, given] = /^(\d{1,16})\.([\w-]+)$/.exec(proof ?? '') ?? [];
  if (given === undefined || Number(endsAt) <= now) return false;
  return deriveKeys(ctx.env, KEY_PURPOSE).some((key) => constantTimeEqual(given, mac(key, link, Number(endsAt))));
}

function mac(key: Uint8Array, { id }: Pick<AppConfigurationLink, 'id'>, endsAt: number): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([id, endsAt]))
    .digest('base64url');
}
