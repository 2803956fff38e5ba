import { type CallOptions, contentOf, type Reply, type Request, send, type Transport } from './call.ts';
import { OPERATIONS } from './generated/operations.ts';
import type { Inputs, Operations, Replies } from './generated/types.ts';
import { type Place, pagesOf } from './pages.ts';

export interface PassWalletOptions extends Partial<Transport> {
  /** Address of the service, such as `https://passes.example.com`. */
  baseUrl: string;
  /** An API key. Keep it on a server. */
  apiKey: string;
}

/** Input that an operation may take. */
interface Input {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string | undefined>;
}

type OperationId = keyof typeof OPERATIONS;

const DEFAULTS: Transport = {
  // Workers refuse to call `fetch` as a method of another object.
  fetch: (url, init) => globalThis.fetch(url, init),
  timeoutMs: 30_000,
  retries: 3,
  backOffMs: 250,
  retryAfterMax: 60,
};

const KEY = /^[\x20-\x7e]+$/;

class Client {
  #baseUrl: string;
  #apiKey: string;
  #transport: Transport;
  #bookmark: string | undefined;

  constructor({ baseUrl, apiKey, ...transport }: PassWalletOptions) {
    if (!baseUrl || !apiKey) throw new TypeError('PassWallet needs a baseUrl and an apiKey');
    const { href, username, password } = new URL(baseUrl);
    // Refused here, because the errors of `fetch` and `Headers` show the values that they refuse.
    if (username || password) throw new TypeError('baseUrl must not contain a name or a password');
    // A key that was read from a file may end with a newline.
    if (!KEY.test(apiKey.trim())) throw new TypeError('apiKey has characters that no API key has');
    this.#baseUrl = href.replace(/\/+$/, '');
    this.#apiKey = apiKey;
    const given = Object.entries(transport).filter(([, value]) => value !== undefined);
    this.#transport = { ...DEFAULTS, ...Object.fromEntries(given) };
  }

  /** Calls an operation and returns the status and headers with the body. For a list, returns the first page. */
  request(operation: OperationId, input: Input = {}, options?: CallOptions): Promise<Reply> {
    return this.#send(operation, input, { query: input.query ?? {} }, options);
  }

  static {
    for (const [name, text] of Object.entries(OPERATIONS)) {
      const [, , style, id] = text.split(' ');
      const operation = name as OperationId;
      const isList = ['next', 'uid', 'again', 'all'].includes(style ?? '');
      const method = isList
        ? function list(this: Client, input: Input = {}, options?: CallOptions) {
            const fetchPage = async (place: Place) => (await this.#send(operation, input, place, options)).body;
            return pagesOf({ style, id }, input.query ?? {}, fetchPage);
          }
        : async function call(this: Client, input: Input = {}, options?: CallOptions) {
            return (await this.request(operation, input, options)).body;
          };
      Object.defineProperty(Client.prototype, name, { value: method, configurable: true, writable: true });
    }
  }

  async #send(operation: OperationId, input: Input, place: Place, options: CallOptions = {}): Promise<Reply> {
    const [method = '', path = '', style, detail] = OPERATIONS[operation].split(' ');
    const isNext = 'address' in place;
    const hasKey = style === 'key';
    const fixed = new Headers({ Authorization: this.#apiKey });
    if (style !== 'raw') fixed.set('Accept', 'application/json');
    if (hasKey) fixed.set('Idempotency-Key', options.idempotencyKey ?? crypto.randomUUID());
    const { body, type } = contentOf(isNext ? undefined : input.body, style === 'uid' ? undefined : detail);
    if (type) fixed.set('Content-Type', type);
    for (const [name, value] of Object.entries(input.headers ?? {})) if (value !== undefined) fixed.set(name, value);
    let sent: string | undefined;
    const request: Request = {
      operation,
      method: isNext ? 'GET' : method,
      url:
        this.#baseUrl + (isNext ? pathOfNext(place.address) : fill(operation, path, input.path) + textOf(place.query)),
      headers: () => {
        const headers = new Headers(fixed);
        sent = this.#bookmark;
        if (sent) headers.set('X-D1-Bookmark', sent);
        return headers;
      },
      body,
      isRaw: style === 'raw',
      key: hasKey ? (options.idempotencyKey === undefined ? 'drawn' : 'given') : undefined,
      isOnce: style === 'once',
      onReply: (headers) => this.#keepBookmark(sent, headers.get('X-D1-Bookmark')),
    };
    return send(this.#transport, request, options);
  }

  /**
   * Replies can arrive out of order, so an earlier state doesn't replace a later one. The reply to a request that sent
   * the current bookmark always does: the account may have moved to another database.
   */
  #keepBookmark(sent: string | undefined, received: string | null): void {
    if (received && (sent === this.#bookmark || received > (this.#bookmark ?? ''))) this.#bookmark = received;
  }
}

/** Returns the path of the next page. It is requested from `baseUrl`, whatever origin the service names. */
function pathOfNext(address: string): string {
  const { pathname, search } = new URL(address);
  // A path without a leading `/` would become part of the host name.
  return pathname.slice(Math.max(0, pathname.indexOf('/api/'))) + search;
}

function fill(operation: string, path: string, values: Record<string, unknown> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? '');
    // An empty value, `.` or `..` would address another resource.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${operation} needs path.${name}`);
    return encodeURIComponent(value);
  });
}

function textOf(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

/** A client with a method for each operation of the contract. */
export interface PassWallet extends Operations {
  /** Calls an operation and returns the status and headers with the body. For a list, returns the first page. */
  request<Id extends keyof Inputs>(
    operation: Id,
    input?: Inputs[Id],
    options?: CallOptions,
  ): Promise<Reply<Replies[Id]>>;
}

export const PassWallet = Client as unknown as new (options: PassWalletOptions) => PassWallet;
