import { parseJson } from '../../platform/json.ts';
/**
 * How a call ended. `refused`: Google does not take this content, a retry would fail as well. `denied`: the account is
 * unknown or no user of the issuer. `rate_limited`: too many calls; worth a retry later. `quota`: more than three
 * notifications of a pass in 24 hours. `unavailable`: no answer, or a failure on Google's side; worth a retry.
 */
export type WalletOutcome = 'ok' | 'refused' | 'denied' | 'not_found' | 'rate_limited' | 'quota' | 'unavailable';

export interface WalletReply {
  outcome: WalletOutcome;
  /** HTTP status; absent when no answer came. */
  status?: number;
  /** Google's message about a failure, shortened; for operators, not for callers of our API. */
  message?: string;
  /** How long Google wants to be left alone. */
  retryAfterSeconds?: number;
}

/** A reply with the resource, or whatever else Google sent. */
export type ApiReply = WalletReply & { body?: Record<string, unknown> };

const MESSAGE_CHARS_MAX = 500;

/** Reads an answer of the REST API; `now` in UTC milliseconds. */
export async function replyOf(response: Response, now: number): Promise<ApiReply> {
  const { status } = response;
  const text = await response.text();
  const body = parseJson(text) as Record<string, unknown> | undefined;
  if (status >= 200 && status < 300) return { outcome: 'ok', status, body };
  const error = (body?.error ?? {}) as { message?: unknown; status?: unknown };
  const message = shortened(typeof error.message === 'string' ? error.message : text);
  return { outcome: failure(status, text), status, message, retryAfterSeconds: retryAfterOf(response, now) };
}

/** Too many calls are 429, or 403 with a reason; a spent notification quota is the name of its exception. */
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

/** `Retry-After` as seconds from now, a whole number above zero; undefined when absent or none. */
export function retryAfterOf(response: Response, now: number): number | undefined {
  const sent = response.headers.get('retry-after');
  if (!sent) return undefined;
  const seconds = /^\d+$/.test(sent) ? Number(sent) : (Date.parse(sent) - now) / 1_000;
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined;
}

/** A reply as it is handed on, without the resource. */
export function withoutBody({ outcome, status, message, retryAfterSeconds }: ApiReply): WalletReply {
  return { outcome, status, message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

export function shortened(text: string): string {
  return text.slice(0, MESSAGE_CHARS_MAX);
}
