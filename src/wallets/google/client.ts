import { Lru } from '../../platform/lru.ts';
import { accessToken, forgetToken } from './access-token.ts';
import { isUpdatedInPlace } from './pass-class.ts';
import type { Resource, WalletKind, WalletResource } from './resource.ts';
import type { GoogleSigner } from './signer.ts';

const API_URL = 'https://walletobjects.googleapis.com/walletobjects/v1';
const TIMEOUT_MS = 8_000;
const MESSAGE_CHARS_MAX = 500;
const KNOWN_CLASSES_MAX = 1_000;

/** Classes that exist under a name that stands for their content: they need no second call in this isolate. */
const knownClasses = new Lru<true>(KNOWN_CLASSES_MAX);

/**
 * How a call ended. `refused`: Google does not take this content, a retry would fail as well. `denied`: the account is unknown or no user of the
 * issuer. `quota`: too many calls, or more than three notifications of a pass in 24 hours. `unavailable`: no answer, or a failure on Google's side; worth a retry.
 */
export type WalletOutcome = 'ok' | 'refused' | 'denied' | 'not_found' | 'quota' | 'unavailable';

export interface WalletReply {
  outcome: WalletOutcome;
  /** HTTP status; absent when no answer came. */
  status?: number;
  /** What Google says of a failure, shortened; for operators, not for callers of our API. */
  message?: string;
}

/** A text for the holder of a pass. */
export interface WalletMessage {
  /** Tells the messages of a pass apart; Google does not enforce that it is unique. */
  id: string;
  header: string;
  body: string;
}

/** A reply with the resource, or whatever else Google sent. */
type ApiReply = WalletReply & { body?: Record<string, unknown> };

/**
 * The Google Wallet REST API as one service account. Failures of the other side are outcomes and are never thrown. Each call is one to four HTTP requests; Google admits
 * 20 a second for an issuer, and keeping that pace is the caller's task.
 */
export class WalletObjects {
  #signer: GoogleSigner;
  #fetch: typeof fetch;
  #now: () => number;

  constructor(signer: GoogleSigner, { fetch, now }: { fetch?: typeof globalThis.fetch; now?: () => number } = {}) {
    this.#signer = signer;
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#now = now ?? Date.now;
  }

  /** Makes a class exist as given. A class that is named by its content is as given when it exists. */
  async upsertClass({ kind, resource }: WalletResource): Promise<WalletReply> {
    if (knownClasses.get(resource.id)) return { outcome: 'ok' };
    const type = `${kind}Class`;
    let reply = await this.#call('POST', `/${type}`, resource);
    if (reply.status === 409)
      reply = isUpdatedInPlace(kind)
        ? await this.#call('PUT', pathOf(type, resource), resource)
        : { outcome: 'ok', status: 409 };
    if (reply.outcome === 'ok' && !isUpdatedInPlace(kind)) knownClasses.set(resource.id, true);
    return withoutBody(reply);
  }

  /**
   * Makes an object exist as given. An existing one is replaced (PUT) and keeps its messages: a PATCH would leave what the pass no longer has, an
   * expiration for example, because absent members stay as they were.
   */
  async upsertObject({ kind, resource }: WalletResource): Promise<WalletReply> {
    const type = `${kind}Object`;
    const inserted = await this.#call('POST', `/${type}`, resource);
    if (inserted.status !== 409) return withoutBody(inserted);
    const existing = await this.#call('GET', pathOf(type, resource));
    if (existing.outcome !== 'ok') return withoutBody(existing);
    const messages = existing.body?.messages;
    return withoutBody(
      await this.#call('PUT', pathOf(type, resource), { ...resource, ...(messages ? { messages } : {}) }),
    );
  }

  /**
   * Adds a text to a pass and tells its holder. Beyond Google's three notifications in 24 hours the text is added without one, and the outcome
   * is `quota`; it is `quota` as well when even that was not admitted, then with the status 429.
   */
  async addMessage(kind: WalletKind, objectId: string, message: WalletMessage): Promise<WalletReply> {
    const path = `${pathOf(`${kind}Object`, { id: objectId })}/addMessage`;
    const add = (messageType: string) => this.#call('POST', path, { message: { ...message, messageType } });
    const reply = await add('TEXT_AND_NOTIFY');
    if (reply.outcome !== 'quota') return withoutBody(reply);
    const silent = await add('TEXT');
    return withoutBody(silent.outcome === 'ok' ? { ...silent, outcome: 'quota' } : silent);
  }

  /** One request, and a second one when the cached token was no longer good. */
  async #call(method: string, path: string, body?: unknown): Promise<ApiReply> {
    const reply = await this.#attempt(method, path, body);
    if (reply.status !== 401) return reply;
    forgetToken(this.#signer);
    return this.#attempt(method, path, body);
  }

  async #attempt(method: string, path: string, body: unknown): Promise<ApiReply> {
    try {
      const access = await accessToken(this.#signer, this.#send, this.#now());
      if ('refused' in access) return await this.#tokenFailure(access.refused);
      const response = await this.#send(`${API_URL}${path}`, {
        method,
        headers: { authorization: `Bearer ${access.token}`, 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      return replyOf(response.status, await response.text());
    } catch (error) {
      return { outcome: 'unavailable', message: shortened(error instanceof Error ? error.message : String(error)) };
    }
  }

  #send = (url: string, init: RequestInit): Promise<Response> =>
    this.#fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });

  /** The token endpoint refuses with 400 (`invalid_grant`) or 401; to our caller both mean that the account is not admitted. */
  async #tokenFailure(response: Response): Promise<ApiReply> {
    const message = shortened(await response.text());
    const outcome = response.status === 429 ? 'quota' : response.status < 500 ? 'denied' : 'unavailable';
    return { outcome, message };
  }
}

function pathOf(type: string, { id }: Pick<Resource, 'id'>): string {
  return `/${type}/${encodeURIComponent(id)}`;
}

function withoutBody({ outcome, status, message }: ApiReply): WalletReply {
  return { outcome, status, message };
}

function replyOf(status: number, text: string): ApiReply {
  const body = parsed(text);
  if (status >= 200 && status < 300) return { outcome: 'ok', status, body };
  const error = (body?.error ?? {}) as { message?: unknown; status?: unknown };
  const message = shortened(typeof error.message === 'string' ? error.message : text);
  return { outcome: failure(status, `${error.status ?? ''} ${text}`), status, message };
}

/** Google reports a spent quota as 429, or as 403 with a reason that says so. */
function failure(status: number, text: string): WalletOutcome {
  if (status === 429) return 'quota';
  if (status < 500 && /RESOURCE_EXHAUSTED|QuotaExceeded|RateLimitExceeded/i.test(text)) return 'quota';
  if (status === 401 || status === 403) return 'denied';
  if (status === 404) return 'not_found';
  if (status === 408 || status === 409 || status >= 500) return 'unavailable';
  return 'refused';
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function shortened(text: string): string {
  return text.slice(0, MESSAGE_CHARS_MAX);
}
