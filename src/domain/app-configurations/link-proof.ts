import { createHmac, hkdfSync } from 'node:crypto';
import { constantTimeEqual, fromBase64 } from '../../platform/crypto.ts';
import type { Context } from '../context.ts';
import type { AppConfigurationLink } from './table.ts';

/** How long a right PIN opens an expired link: a shift at the door. */
export const LINK_PROOF_HOURS = 12;

const KEY_BYTES = 32;
/** Sets this use of the secret apart from all others (RFC 5869 §3.2). */
const KEY_PURPOSE = 'scan-link-pin';

/** A text that shows for twelve hours that its holder knew the PIN of the link: when it ends, and a MAC over that and the link. Nothing is stored. `now` is UTC milliseconds. */
export function proveLink(ctx: Context, link: Pick<AppConfigurationLink, 'id'>, now = Date.now()): string {
  const endsAt = now + LINK_PROOF_HOURS * 60 * 60_000;
  return `${endsAt}.${mac(ctx, link, endsAt)}`;
}

/** Whether a text is a proof for this link that is still good. */
export function isLinkProof(
  ctx: Context,
  link: Pick<AppConfigurationLink, 'id'>,
  proof: string | undefined,
  now = Date.now(),
): boolean {
  const [, endsAt, given] = /^(\d{1,16})\.([\w-]+)$/.exec(proof ?? '') ?? [];
  return given !== undefined && Number(endsAt) > now && constantTimeEqual(given, mac(ctx, link, Number(endsAt)));
}

function mac(ctx: Context, { id }: Pick<AppConfigurationLink, 'id'>, endsAt: number): string {
  const key = hkdfSync('sha256', fromBase64(ctx.env.ENCRYPTION_KEY), '', KEY_PURPOSE, KEY_BYTES);
  return createHmac('sha256', new Uint8Array(key))
    .update(JSON.stringify([id, endsAt]))
    .digest('base64url');
}
