import { createHmac } from 'node:crypto';
import { machineTime } from '../../platform/clock.ts';
import { fromBase64 } from '../../platform/crypto.ts';
import type { Env } from '../../platform/env.ts';
import { areLocalTargetsAllowed, fetchOutbound, type Outcome } from '../../platform/outbound.ts';
import type { TimeLimit } from '../../platform/time-limit.ts';
import type { Context } from '../context.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { PayloadSigner } from './payload-signers.ts';
import { unseal } from './secrets.ts';
import type { Attempt, Subscription } from './table.ts';

/** Receivers have ten seconds to answer, and at most this much of the answer is read. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;
/** Length of an unsuccessful response that is stored for troubleshooting. */
const ANSWER_CHARS_KEPT = 200;

/** Outcome of an attempt that succeeded. */
export const DELIVERED = 'delivered';
/** The receiver is permanently gone: the subscription ends. */
export const GONE = 'status_410';

/** Attempts to deliver an event once, within `limit`. Never rejects: every result is an outcome. */
export async function attempt(
  ctx: Context,
  claimed: ClaimedDelivery,
  sign: PayloadSigner | undefined,
  limit?: TimeLimit,
): Promise<Attempt> {
  const at = Date.now();
  const startedAt = performance.now();
  const done = (result: Pick<Attempt, 'outcome' | 'status' | 'answer'>): Attempt => ({
    at,
    ...result,
    durationMs: Math.round(performance.now() - startedAt),
  });
  const { targetUrl, signPayload } = claimed.subscription;
  // The signing key is created with the subscription. Without it, nothing that promises a signature may be sent.
  if (targetUrl === null || (signPayload && !sign)) return done({ outcome: 'not_signed' });
  const request = buildRequest(ctx.env, claimed, signPayload ? sign : undefined, at);
  const outcome = await fetchOutbound(targetUrl, {
    method: 'POST',
    ...request,
    allowLocal: areLocalTargetsAllowed(ctx.env),
    limit,
    timeoutMs: ATTEMPT_TIMEOUT_MS,
    bytesMax: ANSWER_BYTES_MAX,
  });
  return done(resultOf(outcome, claimed.event.body));
}

/** Only the status matters: a problem with the body of a 2xx response changes nothing. */
function resultOf(outcome: Outcome, sent: string): Pick<Attempt, 'outcome' | 'status' | 'answer'> {
  const status = 'status' in outcome ? outcome.status : undefined;
  if (status !== undefined && status >= 200 && status < 300) return { outcome: DELIVERED, status };
  if (outcome.kind !== 'ok' && outcome.kind !== 'too_large') return { outcome: outcome.kind, status };
  const { body } = outcome;
  const beginning = new TextDecoder().decode(body.subarray(0, ANSWER_CHARS_KEPT * 4));
  const answer = withoutLinks(beginning, sent).slice(0, ANSWER_CHARS_KEPT);
  return { outcome: `status_${status}`, status, ...(answer ? { answer } : {}) };
}

/** Removes the tokens of links from a receiver's answer, which may repeat the request. */
function withoutLinks(answer: string, sent: string): string {
  const links = sent.match(/\/p\/[\w-]{22}(?:[\w-]{3})?(?![\w-])/g) ?? [];
  return links.reduce((text, link) => text.replaceAll(link.slice('/p/'.length), '…'), answer);
}

const USER_AGENT = 'pass-wallet-webhooks/1';

/** The request to a receiver. */
interface WebhookRequest {
  headers: Record<string, string>;
  body: string;
}

/**
 * Builds the request that delivers an event: its body, with the envelope of `signPayload` if there is a signer, and the
 * headers of Standard Webhooks. The `webhook-id` is the event's identifier, so it stays the same for every retry and
 * resend.
 */
function buildRequest(
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
