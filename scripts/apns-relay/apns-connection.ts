import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { isIP } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import {
  outcomeOf,
  PUSH_BODY,
  pushHeaders,
  pushPath,
  retryLater,
} from '../../src/wallets/apple/apns/direct-transport.ts';
import type { PushOutcome } from '../../src/wallets/apple/apns/push-sender.ts';
import { Slots } from './slots.ts';

export interface ApnsConnectionOptions {
  /** `https://api.push.apple.com` */
  origin: string;
  /** PEM of the certificate authority for the origin; default: Node's trusted ones. */
  caPem?: string;
  /** The client certificate with its chain, and its private key, as PEM. */
  certificate?: { certificatePem: string; privateKeyPem: string };
  /** Returns the provider token, when no certificate is used. */
  providerToken?: () => Promise<string>;
  /** Timeout for one answer from Apple, in milliseconds. */
  timeoutMs?: number;
  /** Interval between pings, in milliseconds. */
  pingEveryMs?: number;
}

const TIMEOUT_MS = 5_000;
const CONNECT_MS_MAX = 5_000;
/** Apple allows 1,000 streams per connection. A lower limit from the other side takes precedence. */
const STREAMS_MAX = 500;
/** Attempts for one push when connections close during it. */
const ATTEMPTS_MAX = 3;
const PING_EVERY_MS = 60_000;
/** Ping timeout, as a fraction of the ping interval. */
const PING_PATIENCE = 1 / 6;
/** Pause before reconnecting after a failure. It doubles with each failure, from the first value to the last. */
const PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 30_000;

/** No answer arrived, so the push may be retried on another connection. */
class Unanswered extends Error {}
/** The timeout for an answer has passed. */
class TimedOut extends Error {}
/** The connection failed; the message is from the other side or the network. */
class Unreachable extends Error {}

/**
 * A connection to Apple's push service that stays open between pushes. It reconnects after GOAWAY, a ping timeout or a
 * close. Pushes beyond the stream limit wait in line.
 */
export class ApnsConnection {
  #options: ApnsConnectionOptions;
  #session?: Promise<ClientHttp2Session>;
  #slots = new Slots(STREAMS_MAX);
  #failures = 0;
  #pauseEndsAt = 0;
  #lastFailure: Error = new Unreachable('not connected');
  #pinging?: NodeJS.Timeout;

  constructor(options: ApnsConnectionOptions) {
    this.#options = options;
  }

  /**
   * Pushes to one device. Settles by `deadline` (milliseconds of the monotonic clock), with `retry` if time runs out.
   * Never throws.
   */
  async push(topic: string, token: string, deadline: number): Promise<PushOutcome> {
    let failure = 'the relay ran out of time';
    for (let attempt = 0; attempt < ATTEMPTS_MAX && performance.now() < deadline; attempt++) {
      try {
        return await this.#attempt(topic, token, deadline);
      } catch (error) {
        if (isRefusedCertificate(error)) {
          return {
            outcome: 'refused',
            reason: `Apple's push service rejects the certificate (${codeOf(error)})`,
          };
        }
        failure = error instanceof Error ? error.message : String(error);
        if (!(error instanceof Unanswered)) break;
      }
    }
    const pauseS = Math.max(0, Math.ceil((this.#pauseEndsAt - performance.now()) / 1_000));
    return retryLater(`Apple's push service: ${failure}`, pauseS > 0 ? String(pauseS) : undefined);
  }

  /** Closes the connection once all streams are answered. */
  async close(): Promise<void> {
    const session = await this.#session?.catch(() => undefined);
    this.#leave(this.#session);
    if (!session || session.destroyed) return;
    await new Promise<void>((resolve) => {
      session.once('close', resolve);
      session.close();
    });
  }

  async #attempt(topic: string, token: string, deadline: number): Promise<PushOutcome> {
    const left = () => Math.max(0, deadline - performance.now());
    const leave = await this.#slots.enter(left());
    if (!leave) throw new TimedOut('too many pushes are waiting');
    try {
      const current = this.#connected();
      const session = await current;
      const authorization = await this.#options.providerToken?.();
      const stream = openStream(session, {
        [constants.HTTP2_HEADER_METHOD]: 'POST',
        [constants.HTTP2_HEADER_PATH]: pushPath(token),
        ...pushHeaders(topic),
        ...(authorization && { authorization: `bearer ${authorization}` }),
      });
      return await this.#answerOf(stream, session, Math.min(left(), this.#options.timeoutMs ?? TIMEOUT_MS)).catch(
        (error) => {
          // A connection that is silent or can't open a stream gets no more pushes.
          this.#leave(current);
          throw error;
        },
      );
    } finally {
      leave();
    }
  }

  #answerOf(stream: ClientHttp2Stream, session: ClientHttp2Session, timeoutMs: number): Promise<PushOutcome> {
    return new Promise((resolve, reject) => {
      let status = 0;
      let retryAfter: string | undefined;
      let body = '';
      let failure: Error | undefined;
      const fail = (error: Error) => {
        failure ??= error;
      };
      const timer = setTimeout(() => {
        fail(new TimedOut(`no answer within ${timeoutMs / 1_000} s`));
        stream.close(constants.NGHTTP2_CANCEL);
      }, timeoutMs);
      session.once('error', fail);
      stream.setEncoding('utf8');
      stream.on('response', (headers) => {
        status = Number(headers[constants.HTTP2_HEADER_STATUS]);
        retryAfter = headers['retry-after'] as string | undefined;
      });
      stream.on('data', (chunk: string) => {
        body += chunk.slice(0, BODY_CHARS_MAX);
      });
      stream.on('error', fail);
      stream.on('close', () => {
        clearTimeout(timer);
        session.off('error', fail);
        if (status > 0 && !(failure instanceof TimedOut)) resolve(outcomeOf({ status, body, retryAfter }));
        else if (failure instanceof TimedOut || isRefusedCertificate(failure)) reject(failure);
        else reject(new Unanswered(failure?.message ?? 'the connection ended'));
      });
      stream.end(PUSH_BODY);
    });
  }

  /** Returns the connection and opens one if needed. Fails immediately for a while after a failure. */
  #connected(): Promise<ClientHttp2Session> {
    if (this.#session) return this.#session;
    if (performance.now() < this.#pauseEndsAt) return Promise.reject(this.#lastFailure);
    const opening = this.#open();
    this.#session = opening;
    opening.then(
      (session) => this.#keep(opening, session),
      (error) => {
        this.#leave(opening);
        this.#pauseEndsAt = performance.now() + Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** this.#failures);
        this.#failures += 1;
        this.#lastFailure = error;
      },
    );
    return opening;
  }

  #open(): Promise<ClientHttp2Session> {
    const socket = openSocket(this.#options);
    const session = connect(this.#options.origin, { createConnection: () => socket });
    // Each open stream adds listeners.
    session.setMaxListeners(0);
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => {
        clearTimeout(timer);
        session.destroy();
        reject(isRefusedCertificate(error) ? error : new Unreachable(error.message || codeOf(error)));
      };
      const timer = setTimeout(
        () => fail(new Error(`no connection within ${CONNECT_MS_MAX / 1_000} s`)),
        CONNECT_MS_MAX,
      );
      // An alert after the handshake, as TLS 1.3 sends for certificates, is reported only by the socket.
      socket.on('error', fail);
      session.on('error', fail);
      session.once('close', () => fail(new Error('the connection was closed')));
      // An accepted connection sends its settings first, including the stream limit.
      session.once('remoteSettings', () => {
        clearTimeout(timer);
        resolve(session);
      });
      session.on('remoteSettings', ({ maxConcurrentStreams = STREAMS_MAX }) => {
        this.#slots.limit(Math.max(1, Math.min(STREAMS_MAX, maxConcurrentStreams)));
      });
    });
  }

  #keep(opening: Promise<ClientHttp2Session>, session: ClientHttp2Session): void {
    this.#failures = 0;
    session.on('goaway', () => this.#leave(opening));
    session.on('close', () => this.#leave(opening));
    clearInterval(this.#pinging);
    const everyMs = this.#options.pingEveryMs ?? PING_EVERY_MS;
    this.#pinging = setInterval(() => ping(session, everyMs * PING_PATIENCE), everyMs).unref();
  }

  /** Stops using this connection for new pushes. It closes once its streams are answered. */
  #leave(opening: Promise<ClientHttp2Session> | undefined): void {
    if (!opening || this.#session !== opening) return;
    this.#session = undefined;
    clearInterval(this.#pinging);
    opening.then(
      (session) => session.closed || session.close(),
      () => {},
    );
  }
}

/** Only the beginning of a failure's text matters. */
const BODY_CHARS_MAX = 1_000;

function openSocket({ origin, caPem, certificate }: ApnsConnectionOptions): TLSSocket {
  const { hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return connectTls({
    host,
    port: Number(port || HTTPS_PORT),
    // SNI doesn't allow IP addresses.
    servername: isIP(host) ? '' : host,
    ca: caPem,
    cert: certificate?.certificatePem,
    key: certificate?.privateKeyPem,
    ALPNProtocols: ['h2'],
    minVersion: 'TLSv1.2',
  });
}
const HTTPS_PORT = 443;

/** The connection may have closed since it was chosen. */
function openStream(session: ClientHttp2Session, headers: Record<string, string>): ClientHttp2Stream {
  try {
    return session.request(headers);
  } catch (error) {
    throw new Unanswered((error as Error).message);
  }
}

/** Detects connections that are gone without having been closed. */
function ping(session: ClientHttp2Session, waitMs: number): void {
  if (session.closed || session.destroyed) return;
  const timer = setTimeout(() => session.destroy(), waitMs).unref();
  session.ping(() => clearTimeout(timer));
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

/**
 * Whether an error is a TLS alert that rejects the client certificate: expired, revoked, unknown or missing (RFC 8446
 * §6.2).
 */
function isRefusedCertificate(error: unknown): boolean {
  return /^ERR_SSL_.*ALERT_.*(CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/.test(codeOf(error ?? ''));
}
