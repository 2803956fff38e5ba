import { parseJson } from '../../../platform/json.ts';
import type { PushOutcome } from './push-transport.ts';

/** Passes are pushed by the production service only (Apple, "Adding a Web Service to Update Passes"). */
export const APNS_ORIGIN = 'https://api.push.apple.com';

/** A push to a pass has no content: the device asks what changed. */
export const PUSH_BODY = '{}';

/** The path that pushes to one device. */
export function pushPath(token: string): string {
  return `/3/device/${encodeURIComponent(token)}`;
}

/** A push that shows nothing itself is `background`, for which Apple admits no higher priority. */
export function pushHeaders(topic: string): Record<string, string> {
  return {
    'apns-topic': topic,
    'apns-push-type': 'background',
    'apns-priority': '5',
    'content-type': 'application/json',
  };
}

/** What Apple's push service answered. */
export interface ApnsReply {
  status: number;
  /** Body of a failure: `{"reason": "..."}`. */
  body: string;
  retryAfter?: string | null;
}

/** Apple's words for a token that is not that of a device with such passes. */
const GONE_REASONS = ['BadDeviceToken', 'DeviceTokenNotForTopic', 'Unregistered', 'ExpiredToken'];
/** A connection that was idle, and a provider token that has aged on its way: the next try has a new one. */
const RETRY_REASONS = ['IdleTimeout', 'ExpiredProviderToken'];

/** What an answer means (Apple, "Handling notification responses from APNs"). */
export function outcomeOf({ status, body, retryAfter }: ApnsReply): PushOutcome {
  if (status === 200) return { outcome: 'sent' };
  const reason = reasonOf(body);
  if (status === 410 || (status === 400 && GONE_REASONS.includes(reason ?? ''))) return { outcome: 'gone' };
  const sentence = `Apple's push service answered ${status}${reason ? ` ${reason}` : ''}`;
  if (status === 429 || status >= 500 || RETRY_REASONS.includes(reason ?? '')) {
    return retryLater(sentence, retryAfter);
  }
  return { outcome: 'refused', reason: sentence };
}

/** Apple's word for a failure. */
export function reasonOf(body: string): string | undefined {
  const { reason } = (parseJson(body) ?? {}) as { reason?: unknown };
  return typeof reason === 'string' ? reason.slice(0, REASON_CHARS_MAX) : undefined;
}
const REASON_CHARS_MAX = 100;

/** `retryAfter` is a header Retry-After, in seconds or as a date (RFC 9110 §10.2.3). */
export function retryLater(reason: string, retryAfter?: string | null, now = Date.now()): PushOutcome {
  if (!retryAfter) return { outcome: 'retry', reason };
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.max(0, Math.ceil((Date.parse(retryAfter) - now) / 1_000));
  return Number.isFinite(seconds) ? { outcome: 'retry', afterSeconds: seconds, reason } : { outcome: 'retry', reason };
}
