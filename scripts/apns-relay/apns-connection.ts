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
import type { PushOutcome } from '../../src/wallets/apple/apns/push-transport.ts';
import { Slots } from './slots.ts';

export interface ApnsConnectionOptions {
  /** `https://api.push.apple.com` */
  origin: string;
  /** PEM of the authority that vouches for it; default: those that Node trusts. */
  caPem?: string;
  /** The client certificate with its chain, and its key, as PEM. */
  certificate?: { certificatePem: string; privateKeyPem: string };
  /** Gives the provider token, where no certificate speaks for the sender. */
  providerToken?: () => Promise<string>;
  /** Milliseconds that Apple has for one answer. */
  timeoutMs?: number;
  /** Milliseconds between two looks whether the other side is still there. */
  pingEveryMs?: number;
}

const TIMEOUT_MS = 5_000;
const CONNECT_MS_MAX = 5_000;
/** Apple allows 1,000 streams a connection; the other side's own limit counts if it is lower. */
const STREAMS_MAX = 500;
/** Tries of one push while connections end under it. */
const ATTEMPTS_MAX = 3;
const PING_EVERY_MS = 60_000;
/** An answer to a ping that takes longer than this part of the pause between two is none. */
const PING_PATIENCE = 1 / 6;
/** How long nobody connects after a failure: doubled with each one, from the first to the last. */
const PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 30_000;

/** What a try came to when no answer arrived: the push may be tried again on another connection. */
class Unanswered extends Error {}
/** The time for an answer is over. */
class TimedOut extends Error {}
/** No connection: what the other side, or the network, said. */
class Unreachable extends Error {}

/**
 * One connection to Apple's push service, kept open between pushes and opened anew when it ends: by GOAWAY, by silence,
 * or without a word. Pushes beyond the limit of streams wait for their turn.
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
   * Pushes to one device. Settles at the latest at `deadline` (milliseconds of the monotonic clock), then with `retry`.
   * Never throws.
   */
  async push(topic: string, token: string, deadline: number): Promise<PushOutcome> {
    let failure = 'the relay had no time left for it';
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

  /** Ends the connection once all streams are answered. */
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
          // One that keeps silent, or that cannot carry a stream, gets no further push.
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

  /** The connection, opened if there is none. Fails at once while the last failure is fresh. */
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
    // Each stream listens while it is open.
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
      // An alert that follows the handshake, as TLS 1.3 has it for certificates, is told by the socket only.
      socket.on('error', fail);
      session.on('error', fail);
      session.once('close', () => fail(new Error('the connection was closed')));
      // The settings come first on a connection that is accepted, and with them the limit of streams.
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

  /** No further push takes this connection; it ends when the streams on it are answered. */
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

/** Of a failure's text only the beginning matters. */
const BODY_CHARS_MAX = 1_000;

function openSocket({ origin, caPem, certificate }: ApnsConnectionOptions): TLSSocket {
  const { hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return connectTls({
    host,
    port: Number(port || HTTPS_PORT),
    // An address is no name that a server could be asked for.
    servername: isIP(host) ? '' : host,
    ca: caPem,
    cert: certificate?.certificatePem,
    key: certificate?.privateKeyPem,
    ALPNProtocols: ['h2'],
    minVersion: 'TLSv1.2',
  });
}
const HTTPS_PORT = 443;

/** A connection may end between the moment it was chosen and this one. */
function openStream(session: ClientHttp2Session, headers: Record<string, string>): ClientHttp2Stream {
  try {
    return session.request(headers);
  } catch (error) {
    throw new Unanswered((error as Error).message);
  }
}

/** A connection that does not answer is gone, though nobody said so. */
function ping(session: ClientHttp2Session, waitMs: number): void {
  if (session.closed || session.destroyed) return;
  const timer = setTimeout(() => session.destroy(), waitMs).unref();
  session.ping(() => clearTimeout(timer));
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

/**
 * TLS alerts by which the other side turns a client certificate down: expired, revoked, unknown, missing (RFC 8446
 * §6.2).
 */
function isRefusedCertificate(error: unknown): boolean {
  return /^ERR_SSL_.*ALERT_.*(CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/.test(codeOf(error ?? ''));
}
