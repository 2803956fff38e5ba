import { areLocalTargetsAllowed, fetchOutbound, type Outcome } from '../../platform/outbound.ts';
import type { TimeLimit } from '../../platform/time-limit.ts';
import type { Context } from '../context.ts';
import { buildRequest } from './build-request.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { PayloadSigner } from './payload-signers.ts';
import type { Attempt } from './table.ts';

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
