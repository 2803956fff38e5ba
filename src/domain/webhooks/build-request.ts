import { createHmac } from 'node:crypto';
import { machineTime } from '../../platform/clock.ts';
import { fromBase64 } from '../../platform/crypto.ts';
import type { Env } from '../../platform/env.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { PayloadSigner } from './payload-signers.ts';
import { unseal } from './secrets.ts';
import type { Subscription } from './table.ts';

const USER_AGENT = 'pass-wallet-webhooks/1';

/** The request to a receiver. */
export interface WebhookRequest {
  headers: Record<string, string>;
  body: string;
}

/**
 * Builds the request that delivers an event: its body, with the envelope of `signPayload` if there is a signer, and the
 * headers of Standard Webhooks. The `webhook-id` is the event's identifier, so it stays the same for every retry and
 * resend.
 */
export function buildRequest(
  env: Env,
  { subscription, event }: Pick<ClaimedDelivery, 'subscription' | 'event'>,
  sign: PayloadSigner | undefined,
  now = Date.now(),
): WebhookRequest {
  // Receivers compare the timestamp with their own clocks.
  const timestamp = Math.floor(machineTime(now) / 1_000);
  const body = sign ? withEnvelope(event.body, sign) : event.body;
  const signed = `${event.id}.${timestamp}.${body}`;
  const secrets = secretsOf(env, subscription, now);
  const signatures = secrets.map((secret) => `v1,${hmac(secret, signed)}`);
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-Event-Type': event.type,
    'webhook-id': event.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
  const { accessTokenSealed } = subscription;
  if (accessTokenSealed !== null) {
    headers.Authorization = `Bearer ${unseal(env, subscription.id, accessTokenSealed)}`;
  }
  return { headers, body };
}

/**
 * Adds `signedData`, the exact text of the body, and its signature to the keys of the body; `text` is a JSON object
 * with at least one member.
 */
function withEnvelope(text: string, sign: PayloadSigner): string {
  return `${text.slice(0, -1)},"signedData":${JSON.stringify(text)},"signature":"${sign(text)}"}`;
}

/** Returns the current secret, and for a day after a rotation the previous one. */
function secretsOf(env: Env, subscription: Subscription, now: number): string[] {
  const { id, secretSealed, previousSecretSealed, previousSecretUntilAt } = subscription;
  const overlaps = previousSecretSealed !== null && previousSecretUntilAt !== null && now < previousSecretUntilAt;
  const sealed = overlaps ? [secretSealed, previousSecretSealed] : [secretSealed];
  return sealed.map((each) => unseal(env, id, each));
}

function hmac(secret: string, text: string): string {
  return createHmac('sha256', fromBase64(secret.slice('whsec_'.length)))
    .update(text)
    .digest('base64');
}
