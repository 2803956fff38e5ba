import { type Context, inShard } from '../../domain/context.ts';
import { reviveGoogleObject } from '../../domain/passes/deletion/tombstones.ts';
import { findGooglePass, type GooglePass } from '../../domain/passes/google/find-google-pass.ts';
import { recordSave } from '../../domain/registrations/record-save.ts';
import { shardOf, UUID_PATTERN } from '../../platform/ids.ts';
import { logLine } from '../../platform/log.ts';
import { endpointsOfIssuer } from './endpoints.ts';
import { type CallbackMessage, checkSignatures, readCallback, rootKeys, unauthentic } from './verify-callback.ts';

/**
 * Handles a Google Wallet callback: a holder saved or removed a pass. Throws `invalid` or `unauthorized` before reading
 * or storing anything if Google didn't send it, and `KeysUnavailable`. Ignores repeats, unknown passes, and passes of
 * accounts that don't use the issuer. Two round trips.
 */
export async function takeCallback(ctx: Context, body: unknown): Promise<void> {
  const { envelope, message } = readCallback(body);
  const { issuerId, objectId } = message;
  const passId = objectId.slice(issuerId.length + 1);
  const { rootKeysUrl } = await endpointsOfIssuer(inShard(ctx, shardOf(passId)), issuerId);
  const now = Date.now();
  let checked = checkSignatures(envelope, issuerId, await rootKeys(rootKeysUrl), now);
  if (checked === 'unknown_key') {
    checked = checkSignatures(envelope, issuerId, await rootKeys(rootKeysUrl, { isDoubted: true }), now);
  }
  if (checked !== 'good' || message.expTimeMillis <= now) throw unauthentic();
  await record(ctx, passId, message);
}

async function record(ctx: Context, passId: string, message: CallbackMessage): Promise<void> {
  const { issuerId, eventType, nonce, expTimeMillis } = message;
  if (eventType !== 'save' && eventType !== 'del') {
    logLine('info', { event: 'google-callback', requestId: ctx.requestId, pass: passId, type: eventType });
    return;
  }
  if (!UUID_PATTERN.test(passId)) return;
  const googlePass = await findGooglePass(ctx, { passId });
  if (!googlePass) {
    if (eventType === 'save') await reviveGoogleObject(ctx, passId, issuerId);
    return;
  }
  if (!issuerOf(googlePass, issuerId)) return;
  const { found } = googlePass;
  await recordSave(googlePass.ctx, found, { event: eventType, nonce, expiresAt: expTimeMillis });
}

/** Returns the issuer if the pass's account uses it and Google knows it: objects of other issuers can have any name. */
function issuerOf({ issuers }: GooglePass, issuerId: string) {
  return issuers.find((issuer) => issuer.issuerId === issuerId && !issuer.development);
}
