import { createPrivateKey } from 'node:crypto';
import { base64url } from '../../../platform/ids.ts';
import { parseJson } from '../../../platform/json.ts';
import { Lru } from '../../../platform/lru.ts';
import { SharedTimeLimit, type TimeLimit } from '../../../platform/time-limit.ts';
import type { PushOutcome, PushTransport } from './push-sender.ts';

const TIMEOUT_MS = 8_000;
/** A Worker can have six connections at a time. */
const CONNECTIONS_MAX = 6;

/** Sends a request: the global `fetch`, or the one of an mTLS binding, which presents the pass certificate. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Pushes directly to Apple's push service, one request per device. `authorization` returns the provider token, if no
 * client certificate identifies the sender. Apple requires HTTP/2, which the platform negotiates: Cloudflare uses it if
 * the server offers it, a local Worker can't.
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
        // All workers share the iterator, so each takes the next free token.
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

/** Only the production service pushes to passes (Apple, "Adding a Web Service to Update Passes"). */
export const APNS_ORIGIN = 'https://api.push.apple.com';

/** A push to a pass has no content: the device then asks what changed. */
export const PUSH_BODY = '{}';

/** Returns the path for a push to one device. */
export function pushPath(token: string): string {
  return `/3/device/${encodeURIComponent(token)}`;
}

/**
 * Returns the headers of a push. One that shows nothing itself is `background`, for which Apple allows no higher
 * priority.
 */
export function pushHeaders(topic: string): Record<string, string> {
  return {
    'apns-topic': topic,
    'apns-push-type': 'background',
    'apns-priority': '5',
    'content-type': 'application/json',
  };
}

/** A response of Apple's push service. */
interface ApnsReply {
  status: number;
  /** Body of a failure: `{"reason": "..."}`. */
  body: string;
  retryAfter?: string | null;
}

/** Apple's reasons for a token that no longer belongs to a device with such passes. */
const GONE_REASONS = ['BadDeviceToken', 'DeviceTokenNotForTopic', 'Unregistered', 'ExpiredToken'];
/** Reasons that a retry with a new connection or provider token solves. */
const RETRY_REASONS = ['IdleTimeout', 'ExpiredProviderToken'];

/** Converts a response to an outcome (Apple, "Handling notification responses from APNs"). */
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

/** Returns Apple's reason for a failure. */
function reasonOf(body: string): string | undefined {
  const { reason } = (parseJson(body) ?? {}) as { reason?: unknown };
  return typeof reason === 'string' ? reason.slice(0, REASON_CHARS_MAX) : undefined;
}
const REASON_CHARS_MAX = 100;

/** Returns a retry outcome. `retryAfter` is a Retry-After header, in seconds or as a date (RFC 9110 §10.2.3). */
export function retryLater(reason: string, retryAfter?: string | null, now = Date.now()): PushOutcome {
  if (!retryAfter) return { outcome: 'retry', reason };
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.max(0, Math.ceil((Date.parse(retryAfter) - now) / 1_000));
  return Number.isFinite(seconds) ? { outcome: 'retry', afterSeconds: seconds, reason } : { outcome: 'retry', reason };
}

/** A key for Apple's push service, from the developer account. */
export interface ProviderKey {
  keyId: string;
  teamId: string;
  /** The `.p8` file: PKCS#8 PEM on P-256. */
  privateKeyPem: string;
}

/** Apple refuses tokens older than an hour, and providers that change their token more than once in 20 minutes. */
export const TOKEN_SECONDS = 40 * 60;

const TOKENS_CACHED_MAX = 200;
const tokens = new Lru<string>(TOKENS_CACHED_MAX);

/**
 * Returns the provider token (a JWT, ES256) for `now` (UTC milliseconds). All isolates create the same text for 40
 * minutes, with a nonce derived from key and text (RFC 6979): they share connections to Apple, which rejects tokens
 * that change too often (429 TooManyProviderTokenUpdates).
 */
export async function providerToken(key: ProviderKey, now: number): Promise<string> {
  const issuedAt = Math.floor(now / 1_000 / TOKEN_SECONDS) * TOKEN_SECONDS;
  const name = `${key.teamId} ${key.keyId} ${issuedAt} ${key.privateKeyPem}`;
  const known = tokens.get(name);
  if (known) return known;
  const token = await signToken(key, issuedAt);
  tokens.set(name, token);
  return token;
}

/** Signs a token. The curve is imported on demand, because it is needed only once in 40 minutes. */
async function signToken({ keyId, teamId, privateKeyPem }: ProviderKey, issuedAt: number): Promise<string> {
  const { p256 } = await import('../../../platform/p256.ts');
  const { d } = createPrivateKey(privateKeyPem).export({ format: 'jwk' });
  const unsigned = [
    { alg: 'ES256', kid: keyId },
    { iss: teamId, iat: issuedAt },
  ]
    .map((part) => base64url(Buffer.from(JSON.stringify(part))))
    .join('.');
  const secret = Buffer.from(d!, 'base64url');
  const signature = p256.sign(new TextEncoder().encode(unsigned), secret, { prehash: true, lowS: false });
  return `${unsigned}.${base64url(signature)}`;
}
