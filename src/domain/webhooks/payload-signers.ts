import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { describeError, logLine } from '../../platform/log.ts';
import { Lru } from '../../platform/lru.ts';
import { openPrivateKey } from '../certificates/private-keys.ts';
import type { Context } from '../context.ts';
import { listActiveKeys } from '../signing-keys/signer.ts';
import type { SigningKey } from '../signing-keys/table.ts';
import type { Subscription } from './table.ts';

/** Lower-case hexadecimal of the DER-encoded ECDSA signature (P-256, SHA-256) over the UTF-8 bytes of a text. */
export type PayloadSigner = (text: string) => string;

const KEYS_KEPT_MAX = 200;
const keys = new Lru<KeyObject>(KEYS_KEPT_MAX);

/**
 * Returns the payload signers of the accounts that need them. No round trip if none does. Passes need deterministic
 * signatures; these don't, and take a twentieth of that millisecond. Skips an account whose key can't be decrypted, so
 * that it doesn't block others.
 */
export async function getPayloadSigners(
  ctx: Context,
  subscriptions: Pick<Subscription, 'accountId' | 'signPayload'>[],
): Promise<Map<string, PayloadSigner>> {
  const accountIds = [...new Set(subscriptions.filter((one) => one.signPayload).map((one) => one.accountId))];
  const signers = new Map<string, PayloadSigner>();
  if (accountIds.length === 0) return signers;
  for (const row of await listActiveKeys(ctx, accountIds)) {
    const key = keys.get(row.id) ?? (await openKey(ctx, row));
    if (!key) continue;
    keys.set(row.id, key);
    signers.set(row.accountId, (text) => sign('sha256', Buffer.from(text), key).toString('hex'));
  }
  return signers;
}

async function openKey(ctx: Context, row: SigningKey): Promise<KeyObject | undefined> {
  try {
    return createPrivateKey(await openPrivateKey(ctx.env, row));
  } catch (error) {
    const { requestId } = ctx;
    logLine('error', { event: 'signing-key', requestId, account: row.accountId, error: describeError(error) });
    return undefined;
  }
}
