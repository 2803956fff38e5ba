import { issuesOf, PassWalletError } from './errors.ts';

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, its waits and its retries. */
  signal?: AbortSignal | undefined;
  /** Timeout of one attempt in milliseconds. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries after a failed attempt. */
  retries?: number | undefined;
  /** Set it to repeat a request from an earlier run. Default: a new key for each call that writes. */
  idempotencyKey?: string | undefined;
}

/** A file as a request body, in a form that can be sent more than once. */
export type FileBody = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;

/** Transport settings that all calls of a client share. */
export interface Transport {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  timeoutMs: number;
  retries: number;
  /** Milliseconds before the first retry. The delay doubles with each further retry, up to 8 seconds. */
  backOffMs: number;
  /** Longest `Retry-After` in seconds that the client waits for. A longer one is left to the caller. */
  retryAfterMax: number;
}

/** A prepared request that can be sent more than once. */
export interface Request {
  operation: string;
  method: string;
  url: string;
  headers: () => Headers;
  body?: string | FileBody | undefined;
  /** Whether the caller reads the body of the reply. */
  isRaw: boolean;
  /** Source of the `Idempotency-Key`: the caller (`given`) or this client (`drawn`). Absent: the request has no key. */
  key: 'given' | 'drawn' | undefined;
  /** Whether a repeat would take effect again. Such a request is retried only after the service refused it. */
  isOnce: boolean;
  /** Called with the headers of each reply, including those of failed attempts. */
  onReply: (headers: Headers) => void;
}

/** A reply with its headers. */
export interface Reply<Body = unknown> {
  status: number;
  headers: Headers;
  /** Parsed JSON, `undefined` without a body, or the `Response` of an operation that doesn't return JSON. */
  body: Body;
}

/** Returns the body and content type of a request: JSON, unless the operation takes files. */
export function contentOf(body: unknown, fileType?: string): { body?: string | FileBody; type?: string } {
  if (body === undefined) return {};
  return fileType
    ? { body: body as FileBody, type: fileType }
    : { body: JSON.stringify(body), type: 'application/json' };
}

const BACK_OFF_MAX_MS = 8_000;

/** Sends a request until it succeeds, fails in a way that must not be retried, or has used up its retries. */
export async function send(transport: Transport, request: Request, options: CallOptions = {}): Promise<Reply> {
  const retries = options.retries ?? transport.retries;
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(transport, request, options, attempt);
    if (!(outcome instanceof PassWalletError)) return outcome;
    const { retryAfter = 0 } = outcome;
    const isOver = attempt > retries || retryAfter > transport.retryAfterMax;
    if (isOver || !mayRepeat(request, outcome)) throw outcome;
    const backOff = Math.min(BACK_OFF_MAX_MS, transport.backOffMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
    await pause(Math.max(retryAfter * 1_000, backOff), options.signal);
  }
}

function mayRepeat({ key, isOnce }: Request, { status, retryAfter, attempts }: PassWalletError): boolean {
  const isRefused = status === 429 || (status === 503 && retryAfter !== undefined);
  // A 409 can mean that a request with the key is still running: an earlier attempt, or another call by the caller.
  const mayRunStill = status === 409 && (key === 'given' || (key === 'drawn' && attempts > 1));
  return isRefused || (!isOnce && (status === 0 || status >= 500 || mayRunStill));
}

async function tryOnce(
  transport: Transport,
  request: Request,
  { signal, timeoutMs = transport.timeoutMs }: CallOptions,
  attempts: number,
): Promise<Reply | PassWalletError> {
  const { operation, url, method, body, isRaw } = request;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  const timer = setTimeout(() => controller.abort(new Error(`No reply within ${timeoutMs} ms`)), timeoutMs);
  let handsOver = false;
  try {
    const init: RequestInit = { method, headers: request.headers(), redirect: 'manual', signal: controller.signal };
    const response = await transport.fetch(url, body === undefined ? init : { ...init, body });
    const { status, headers } = response;
    request.onReply(headers);
    const isGood = response.ok || status === 304;
    handsOver = isGood && isRaw;
    const replyBody = handsOver ? response : await readBody(response);
    if (isGood) return { status, headers, body: replyBody };
    return new PassWalletError({
      operation,
      // A browser hides the status of a redirect.
      status: status || 302,
      issues: issuesOf(status, replyBody),
      body: replyBody,
      requestId: headers.get('X-Request-Id') ?? undefined,
      retryAfter: secondsUntil(headers.get('Retry-After')),
      attempts,
    });
  } catch (cause) {
    signal?.throwIfAborted();
    const message = cause instanceof Error ? cause.message : String(cause);
    return new PassWalletError({ operation, status: 0, issues: [{ path: '', message }], attempts, cause });
  } finally {
    clearTimeout(timer);
    // The caller's signal still aborts a body that the caller reads.
    if (!handsOver) signal?.removeEventListener('abort', abort);
  }
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  if (!/\bjson\b/.test(response.headers.get('Content-Type') ?? '')) return text;
  return JSON.parse(text);
}

/** Converts a `Retry-After`, a number or a date, to seconds from now. */
function secondsUntil(text: string | null): number | undefined {
  if (!text) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}

function pause(millis: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, millis);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
