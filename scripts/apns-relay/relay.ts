import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { checked } from '../../src/domain/check.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { providerToken } from '../../src/wallets/apple/apns/provider-token.ts';
import type { PushOutcome } from '../../src/wallets/apple/apns/push-transport.ts';
import { RELAY_ANSWER_MS_MAX, RELAY_PATH, RelayRequest } from '../../src/wallets/apple/apns/relay-protocol.ts';
import { ApnsConnection } from './apns-connection.ts';
import type { Credentials } from './credentials.ts';

export interface RelayOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  /** What callers show as bearer token. */
  token: string;
  credentials: Credentials;
  /** `https://api.push.apple.com` */
  apnsOrigin: string;
  /** PEM of the authority that vouches for that origin; default: those that Node trusts. */
  apnsCaPem?: string;
  /** Milliseconds that Apple has for one answer. */
  apnsTimeoutMs?: number;
  /** Milliseconds between two looks whether Apple is still there. */
  apnsPingEveryMs?: number;
  /** The relay's own certificate and key, as PEM; without them it speaks plain HTTP, for a proxy in front of it. */
  tls?: { cert: string; key: string };
  /** Takes one line for each request. */
  log?: (fields: Record<string, unknown>) => void;
}

export interface RunningRelay {
  /** Where it listens. */
  origin: string;
  /** Ends it: requests that came are answered, new ones are not taken. */
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 256 * 1024;
/** Requests at a time; each is up to 500 pushes. */
const REQUESTS_MAX = 100;
const REQUEST_MS_MAX = 10_000;
const BUSY_RETRY_S = 2;
/** Pushes that are under way have so much less time than the caller was promised. */
const ANSWER_RESERVE_MS = 1_000;

/** Starts a relay: HTTP/1.1 with a bearer token on this side, HTTP/2 with Apple's push service on the other. */
export async function startRelay(options: RelayOptions): Promise<RunningRelay> {
  const relay = new Relay(options);
  const listener: RequestListener = (request, response) => void relay.answer(request, response);
  const server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  server.requestTimeout = REQUEST_MS_MAX;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { address, family, port } = server.address() as AddressInfo;
  const host = family === 'IPv6' ? `[${address}]` : address;
  return {
    origin: `${options.tls ? 'https' : 'http'}://${host}:${port}`,
    async close() {
      relay.ends();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
      await relay.close();
    },
  };
}

/** An answer that is no outcome. */
class Refusal extends Error {
  status: number;
  headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

class Relay {
  #options: RelayOptions;
  #connections = new Map<string, ApnsConnection>();
  #requests = 0;
  #ending = false;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: object, headers = {}) => {
      // Nobody shall keep a connection to a relay that is about to end.
      const last = this.#ending ? { connection: 'close' } : {};
      const all = { 'content-type': 'application/json', ...last, ...headers };
      response.writeHead(status, all).end(JSON.stringify(body));
    };
    try {
      if (request.url === '/health' && request.method === 'GET') send(200, this.#health(request));
      else send(200, { outcomes: await this.#pushes(request) });
    } catch (error) {
      if (error instanceof Refusal) send(error.status, { error: error.message }, error.headers);
      else if (error instanceof DomainError) send(400, { error: error.message });
      else {
        this.#options.log?.({ level: 'error', error: String(error) });
        send(500, { error: 'The relay failed; see its log' });
      }
    }
  }

  /** From now on callers are told not to come again on the same connection. */
  ends(): void {
    this.#ending = true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
  }

  /** For everyone: that it lives. For the bearer of the token: what it can push, and until when. */
  #health(request: IncomingMessage): object {
    if (!this.#isAdmitted(request)) return { status: 'ok' };
    const { certificates, providerKey } = this.#options.credentials;
    return {
      status: 'ok',
      topics: certificates.map(({ topic, validTo }) => ({ topic, validTo: new Date(validTo).toISOString() })),
      providerKey: providerKey ? { keyId: providerKey.keyId, teamId: providerKey.teamId } : null,
      requests: this.#requests,
    };
  }

  async #pushes(request: IncomingMessage): Promise<PushOutcome[]> {
    if (request.url !== RELAY_PATH) throw new Refusal(404, 'Not found');
    if (request.method !== 'POST') throw new Refusal(405, 'Use POST', { allow: 'POST' });
    if (!this.#isAdmitted(request))
      throw new Refusal(401, 'The token is missing or wrong', { 'www-authenticate': 'Bearer' });
    if (this.#requests >= REQUESTS_MAX) {
      throw new Refusal(429, 'Too many requests at a time', { 'retry-after': String(BUSY_RETRY_S) });
    }
    this.#requests += 1;
    try {
      const startedAt = performance.now();
      const { topic, tokens } = checked(RelayRequest, await readJson(request));
      const outcomes = await this.#push(topic, tokens, startedAt + RELAY_ANSWER_MS_MAX - ANSWER_RESERVE_MS);
      this.#log(topic, outcomes, performance.now() - startedAt);
      return outcomes;
    } finally {
      this.#requests -= 1;
    }
  }

  #push(topic: string, tokens: string[], deadline: number): Promise<PushOutcome[]> {
    const connection = this.#connectionFor(topic);
    if (!connection) {
      const reason = `The relay has no certificate for ${topic}`;
      return Promise.resolve(tokens.map(() => ({ outcome: 'refused', reason })));
    }
    return Promise.all(tokens.map((token) => connection.push(topic, token, deadline)));
  }

  /**
   * One connection for each certificate, and one for all that the provider key speaks for: Apple ties either to a
   * connection.
   */
  #connectionFor(topic: string): ApnsConnection | undefined {
    const { credentials, apnsOrigin: origin, apnsCaPem: caPem } = this.#options;
    const { providerKey } = credentials;
    const certificate = credentials.certificates.find((one) => one.topic === topic);
    if (!certificate && !providerKey) return undefined;
    const name = certificate?.topic ?? '';
    const known = this.#connections.get(name);
    if (known) return known;
    const connection = new ApnsConnection({
      origin,
      caPem,
      timeoutMs: this.#options.apnsTimeoutMs,
      pingEveryMs: this.#options.apnsPingEveryMs,
      ...(certificate ? { certificate } : { providerToken: () => providerToken(providerKey!, Date.now()) }),
    });
    this.#connections.set(name, connection);
    return connection;
  }

  /** Digests are compared, so that the time tells nothing, not even the length. */
  #isAdmitted({ headers }: IncomingMessage): boolean {
    const digest = (text: string) => createHash('sha256').update(text).digest();
    return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${this.#options.token}`));
  }

  #log(topic: string, outcomes: PushOutcome[], durationMs: number): void {
    const counts = { sent: 0, gone: 0, retry: 0, refused: 0 };
    for (const { outcome } of outcomes) counts[outcome] += 1;
    const reasons = new Set(outcomes.flatMap((outcome) => ('reason' in outcome ? outcome.reason : [])));
    this.#options.log?.({
      level: counts.refused > 0 ? 'error' : 'info',
      event: 'pushes',
      topic,
      ...counts,
      ...(reasons.size > 0 && { reasons: [...reasons] }),
      durationMs: Math.round(durationMs),
    });
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Refusal(413, `The body is larger than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Refusal(400, 'The body is not JSON');
  }
}
