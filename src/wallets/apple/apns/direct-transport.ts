import { parseJson } from '../../../platform/json.ts';
import { SharedTimeLimit, type TimeLimit } from '../../../platform/time-limit.ts';
import type { PushOutcome, PushTransport } from './push-transport.ts';

const TIMEOUT_MS = 8_000;
/** A Worker has six connections at a time. */
const CONNECTIONS_MAX = 6;

/** Sends the requests: the global `fetch`, or that of an mTLS binding, which presents the pass certificate. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Pushes straight to Apple's push service, one request a device. `authorization` gives the provider token, where no
 * client certificate speaks for the sender. Whether the request travels by HTTP/2, which Apple demands, is the
 * platform's to decide: Cloudflare does that where the other side offers it, a local Worker cannot.
 */
export function directTransport(
  send: Send,
  authorization?: () => Promise<string>,
  connections = CONNECTIONS_MAX,
): PushTransport {
  async function pushOne(headers: Record<string, string>, token: string, limit: TimeLimit): Promise<PushOutcome> {
    const leave = limit.enter();
    try {
      const response = await send(`${APNS_ORIGIN}${pushPath(token)}`, {
        method: 'POST',
        headers,
        body: PUSH_BODY,
        redirect: 'manual',
        signal: limit.signal,
      });
      const retryAfter = response.headers.get('retry-after');
      return outcomeOf({ status: response.status, body: await response.text(), retryAfter });
    } catch (error) {
      return { outcome: 'retry', reason: failureOf(error) };
    } finally {
      leave();
    }
  }
  return {
    async push(topic, tokens) {
      const headers = pushHeaders(topic);
      if (authorization) headers.authorization = `bearer ${await authorization()}`;
      const outcomes = new Array<PushOutcome>(tokens.length);
      const waiting = tokens.entries();
      const limits = new SharedTimeLimit(TIMEOUT_MS);
      const work = async () => {
        // The iterator is shared: each round takes the next token that nobody has taken.
        for (const [index, token] of waiting) outcomes[index] = await pushOne(headers, token, limits.now());
      };
      await Promise.all(Array.from({ length: Math.min(connections, tokens.length) }, work));
      limits.close();
      return outcomes;
    },
  };
}

function failureOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `Apple's push service did not answer within ${TIMEOUT_MS / 1_000} s`;
  }
  return `Apple's push service cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
}

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

/** An answer of Apple's push service. */
interface ApnsReply {
  status: number;
  /** Body of a failure: `{"reason": "..."}`. */
  body: string;
  retryAfter?: string | null;
}

/** Apple's words for a token that is not that of a device with such passes. */
const GONE_REASONS = ['BadDeviceToken', 'DeviceTokenNotForTopic', 'Unregistered', 'ExpiredToken'];
/** A connection that was idle, and a provider token that has aged on its way: the next try has a new one. */
const RETRY_REASONS = ['IdleTimeout', 'ExpiredProviderToken'];

/** Turns an answer into an outcome (Apple, "Handling notification responses from APNs"). */
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
function reasonOf(body: string): string | undefined {
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
