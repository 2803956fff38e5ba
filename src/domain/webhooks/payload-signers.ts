import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { Lru } from '../../platform/lru.ts';
import { openPrivateKey } from '../certificates/private-keys.ts';
import type { Context } from '../context.ts';
import { findActiveKeys } from '../signing-keys/find-active-keys.ts';
import type { Subscription } from './table.ts';

/** Lower-case hexadecimal of the DER-encoded ECDSA signature (P-256, SHA-256) over the UTF-8 bytes of a text (decisions §6). */
export type PayloadSigner = (text: string) => string;

const KEYS_KEPT_MAX = 200;
const keys = new Lru<KeyObject>(KEYS_KEPT_MAX);

/**
 * The signers of the accounts whose subscriptions want signed payloads, by account; without a round trip when none does. Passes show a deterministic signature, which takes a
 * millisecond; these need not be, and take a twentieth of it.
 */
export async function loadPayloadSigners(
  ctx: Context,
  subscriptions: Pick<Subscription, 'accountId' | 'signPayload'>[],
): Promise<Map<string, PayloadSigner>> {
  const accountIds = [...new Set(subscriptions.filter((one) => one.signPayload).map((one) => one.accountId))];
  const signers = new Map<string, PayloadSigner>();
  if (accountIds.length === 0) return signers;
  for (const row of await findActiveKeys(ctx, accountIds)) {
    const key = keys.get(row.id) ?? createPrivateKey(await openPrivateKey(ctx.env.ENCRYPTION_KEY, row));
    keys.set(row.id, key);
    signers.set(row.accountId, (text) => sign('sha256', Buffer.from(text), key).toString('hex'));
  }
  return signers;
}
