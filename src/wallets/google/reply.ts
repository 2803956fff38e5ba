import { parseJson } from '../../platform/json.ts';
/**
 * Outcome of a call. `refused`: Google rejects the content, a retry would fail, too. `denied`: Google doesn't know the
 * account, or it has no access to the issuer. `rate_limited`: too many calls, retry later. `quota`: over three
 * notifications of a pass in 24 hours. `unavailable`: no reply or a failure of Google, retry later.
 */
export type WalletOutcome = 'ok' | 'refused' | 'denied' | 'not_found' | 'rate_limited' | 'quota' | 'unavailable';

export interface WalletReply {
  outcome: WalletOutcome;
  /** HTTP status; absent if there was no reply. */
  status?: number;
  /** Google's message about a failure, shortened; for operators, not for callers of our API. */
  message?: string;
  /** Seconds that Google asked to wait. */
  retryAfterSeconds?: number;
}

/** A reply with the resource, or other data from Google. */
export type ApiReply = WalletReply & { body?: Record<string, unknown> };

const MESSAGE_CHARS_MAX = 500;

/** Reads a reply of the REST API; `now` in UTC milliseconds. */
export async function replyOf(response: Response, now: number): Promise<ApiReply> {
  const { status } = response;
  const text = await response.text();
  const body = parseJson(text) as Record<string, unknown> | undefined;
  if (status >= 200 && status < 300) return { outcome: 'ok', status, body };
  const error = (body?.error ?? {}) as { message?: unknown; status?: unknown };
  const message = shortened(typeof error.message === 'string' ? error.message : text);
  return { outcome: failure(status, text), status, message, retryAfterSeconds: retryAfterOf(response, now) };
}

/**
 * Returns the outcome of a failure. Too many calls are 429, or 403 with a reason. An exhausted notification quota is
 * recognized by its exception name.
 */
function failure(status: number, text: string): WalletOutcome {
  if (status < 500 && /QuotaExceededException/i.test(text)) return 'quota';
  if (status === 429 || (status < 500 && /RESOURCE_EXHAUSTED|QuotaExceeded|RateLimitExceeded/i.test(text))) {
    return 'rate_limited';
  }
  if (status === 401 || status === 403) return 'denied';
  if (status === 404) return 'not_found';
  if (status < 400 || status === 408 || status === 409 || status >= 500) return 'unavailable';
  return 'refused';
}

/** Returns `Retry-After` in seconds from now, a positive integer; undefined if it is absent or not positive. */
export function retryAfterOf(response: Response, now: number): number | undefined {
  const sent = response.headers.get('retry-after');
  if (!sent) return undefined;
  const seconds = /^\d+$/.test(sent) ? Number(sent) : (Date.parse(sent) - now) / 1_000;
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined;
}

/** Returns a reply without the resource. */
export function withoutBody({ outcome, status, message, retryAfterSeconds }: ApiReply): WalletReply {
  return { outcome, status, message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

export function shortened(text: string): string {
  return text.slice(0, MESSAGE_CHARS_MAX);
}
