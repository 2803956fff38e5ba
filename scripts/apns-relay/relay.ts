import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { checked } from '../../src/domain/check.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { providerToken } from '../../src/wallets/apple/apns/direct-transport.ts';
import type { PushOutcome } from '../../src/wallets/apple/apns/push-sender.ts';
import { RELAY_ANSWER_MS_MAX, RELAY_PATH, RelayRequest } from '../../src/wallets/apple/apns/relay-protocol.ts';
import { ApnsConnection } from './apns-connection.ts';
import type { Credentials } from './credentials.ts';

export interface RelayOptions {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Bearer token that callers send. */
  token: string;
  credentials: Credentials;
  /** `https://api.push.apple.com` */
  apnsOrigin: string;
  /** PEM of the certificate authority for that origin; default: Node's trusted ones. */
  apnsCaPem?: string;
  /** Timeout for one answer from Apple, in milliseconds. */
  apnsTimeoutMs?: number;
  /** Interval between pings to Apple, in milliseconds. */
  apnsPingEveryMs?: number;
  /** The relay's own certificate and key, as PEM. Without them it speaks plain HTTP, for use behind a proxy. */
  tls?: { cert: string; key: string };
  /** Called with one line per request. */
  log?: (fields: Record<string, unknown>) => void;
}

export interface RunningRelay {
  /** Address it listens on. */
  origin: string;
  /** Closes it. Requests in progress are answered; new ones are rejected. */
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 256 * 1024;
/** Concurrent requests; each has up to 500 pushes. */
const REQUESTS_MAX = 100;
const REQUEST_MS_MAX = 10_000;
const BUSY_RETRY_S = 2;
/** Time reserved for the reply: pushes must finish this much before the caller's timeout. */
const ANSWER_RESERVE_MS = 1_000;

/** Starts a relay: HTTP/1.1 with a bearer token for callers, HTTP/2 to Apple's push service. */
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

/** An error reply, as opposed to the outcome of a push. */
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
      // Don't keep connections open while shutting down.
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

  /** From now on, replies tell callers to close the connection. */
  ends(): void {
    this.#ending = true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
  }

  /** Reports that it runs. For callers with the token, also which topics it can push to, and until when. */
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
   * Returns one connection per certificate, and a shared one for the provider key, because Apple ties each credential
   * to a connection.
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

  /** Compares digests, so that timing doesn't reveal the token or its length. */
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
