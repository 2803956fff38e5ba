import 'reflect-metadata';
import { EventEmitter } from 'node:events';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import * as x509 from '@peculiar/x509';
import { importSPKI, jwtVerify } from 'jose';

/** A push that the stand-in received. */
export interface ArrivedPush {
  token: string;
  topic: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** User identifier (the pass type) of the client certificate, if one was presented. */
  certificateFor?: string;
}

/**
 * An answer of Apple's push service. `hang`: none at all. `reset`: the stream is rejected, as by a server that is
 * shutting down.
 */
export type Answer = { status: number; reason?: string; retryAfter?: string; timestamp?: number } | 'hang' | 'reset';

export interface StandInOptions {
  /** Client certificates under this root (PEM) are accepted for the pass type in their subject. */
  clientRootPem?: string;
  /** Provider tokens signed by this key are accepted for any pass type. */
  providerKey?: { keyId: string; teamId: string; publicKeyPem: string };
  /** Maximum number of open streams per connection; Apple allows 1,000. */
  streamsMax?: number;
  /** Decides an answer; undefined means Apple's own. */
  answer?: (push: ArrivedPush) => Answer | undefined | Promise<Answer | undefined>;
  port?: number;
}

const STREAMS_MAX = 1_000;
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 60 * 60_000;
const WAIT_MS_MAX = 10_000;
const TOKEN_AGE_S_MAX = 60 * 60;

/**
 * Stands in for Apple's push service: real HTTP/2 over TLS with its own temporary certificate authority. It checks
 * client certificates and provider tokens, and gives the answers that Apple documents or a test specifies.
 */
export class ApnsStandIn {
  /** PEM of the stand-in's certificate authority. */
  readonly rootPem: string;
  /** Every push that was read completely, oldest first. */
  readonly pushes: ArrivedPush[] = [];
  /** Connections opened so far. */
  connections = 0;
  /** Maximum number of simultaneously open streams. */
  streamsSeen = 0;
  answer: StandInOptions['answer'];
  #options: StandInOptions;
  #server: Http2SecureServer;
  #sessions = new Set<ServerHttp2Session>();
  #streams = 0;
  #arrivals = new EventEmitter();

  static async open(options: StandInOptions = {}): Promise<ApnsStandIn> {
    const files = await newServerFiles();
    const standIn = new ApnsStandIn(options, files);
    await new Promise<void>((resolve) => standIn.#server.listen(options.port ?? 0, '127.0.0.1', resolve));
    return standIn;
  }

  private constructor(options: StandInOptions, files: ServerFiles) {
    this.#options = options;
    this.answer = options.answer;
    this.rootPem = files.rootPem;
    this.#server = createSecureServer({
      key: files.keyPem,
      cert: files.certificatePem,
      requestCert: Boolean(options.clientRootPem),
      // Without a valid certificate, a caller may still have a token. If there are no tokens, the handshake fails.
      rejectUnauthorized: !options.providerKey,
      ca: options.clientRootPem,
      settings: { maxConcurrentStreams: options.streamsMax ?? STREAMS_MAX },
    });
    this.#server.on('session', (session) => this.#begin(session));
    this.#server.on('stream', (stream, headers) => void this.#receive(stream, headers));
    this.#server.on('sessionError', () => {});
  }

  /** `https://127.0.0.1:<port>` */
  get origin(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Calls back for each push from now on, even if it is then rejected. */
  onPush(listener: (push: ArrivedPush) => void): void {
    this.#arrivals.on('push', listener);
  }

  /** Waits for `count` matching pushes and returns them; fails at the deadline. */
  async received(count = 1, matches: (push: ArrivedPush) => boolean = () => true): Promise<ArrivedPush[]> {
    const signal = AbortSignal.timeout(WAIT_MS_MAX);
    for (;;) {
      const found = this.pushes.filter(matches);
      if (found.length >= count) return found.slice(0, count);
      await new Promise<void>((resolve, reject) => {
        this.#arrivals.once('push', () => resolve());
        signal.addEventListener('abort', () =>
          reject(new Error(`${found.length} of ${count} pushes arrived within ${WAIT_MS_MAX} ms`)),
        );
      });
    }
  }

  /**
   * Announces the end of all connections, like Apple for maintenance: open streams are answered, new ones are rejected.
   */
  goAway(code: number = constants.NGHTTP2_NO_ERROR): void {
    for (const session of this.#sessions) {
      session.goaway(code, 0, Buffer.from('{"reason":"Shutdown"}'));
      if (code === constants.NGHTTP2_NO_ERROR) session.close();
    }
  }

  /** Cuts all connections without notice. */
  cut(): void {
    for (const session of this.#sessions) session.destroy();
  }

  async close(): Promise<void> {
    this.#arrivals.removeAllListeners();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }

  #begin(session: ServerHttp2Session): void {
    this.connections += 1;
    this.#sessions.add(session);
    session.on('error', () => {});
    session.on('close', () => this.#sessions.delete(session));
  }

  async #receive(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    this.#streams += 1;
    this.streamsSeen = Math.max(this.streamsSeen, this.#streams);
    stream.on('error', () => {});
    stream.on('close', () => {
      this.#streams -= 1;
    });
    const socket = stream.session?.socket as TLSSocket | undefined;
    const certificateFor = socket?.authorized ? userIdOf(socket.getPeerCertificate()) : undefined;
    const push: ArrivedPush = {
      token: decodeURIComponent(String(headers[':path']).replace('/3/device/', '')),
      topic: String(headers['apns-topic'] ?? ''),
      headers,
      body: await text(stream).catch(() => ''),
      certificateFor,
    };
    this.pushes.push(push);
    this.#arrivals.emit('push', push);
    reply(stream, (await this.answer?.(push)) ?? (await this.#judge(push)));
  }

  /** Checks what Apple checks of a push to a pass ("Sending notification requests to APNs"). */
  async #judge({ token, topic, headers, body, certificateFor }: ArrivedPush): Promise<Answer> {
    const refuse = (status: number, reason: string): Answer => ({ status, reason });
    if (headers[':method'] !== 'POST') return refuse(405, 'MethodNotAllowed');
    if (!headers[':path']?.startsWith('/3/device/')) return refuse(404, 'BadPath');
    if (body === '') return refuse(400, 'PayloadEmpty');
    if (topic === '') return refuse(400, 'MissingTopic');
    if (headers['apns-push-type'] !== 'background') return refuse(400, 'InvalidPushType');
    if (headers['apns-priority'] !== '5') return refuse(400, 'BadPriority');
    if (certificateFor === undefined) {
      const fault = await this.#tokenFault(headers.authorization);
      if (fault) return refuse(403, fault);
    } else if (certificateFor !== topic) return refuse(400, 'TopicDisallowed');
    if (!/^[0-9a-f]{8,200}$/i.test(token)) return refuse(400, 'BadDeviceToken');
    return { status: 200 };
  }

  async #tokenFault(authorization: string | undefined): Promise<string | undefined> {
    const { providerKey } = this.#options;
    const [, token] = /^bearer (\S+)$/i.exec(authorization ?? '') ?? [];
    if (!token || !providerKey) return 'MissingProviderToken';
    try {
      const key = await importSPKI(providerKey.publicKeyPem, 'ES256');
      const { payload, protectedHeader } = await jwtVerify(token, key, { algorithms: ['ES256'] });
      const known = protectedHeader.kid === providerKey.keyId && payload.iss === providerKey.teamId;
      if (!known) return 'InvalidProviderToken';
      return Date.now() / 1_000 - (payload.iat ?? 0) > TOKEN_AGE_S_MAX ? 'ExpiredProviderToken' : undefined;
    } catch {
      return 'InvalidProviderToken';
    }
  }
}

function reply(stream: ServerHttp2Stream, answer: Answer): void {
  if (answer === 'hang' || stream.closed || stream.destroyed) return;
  if (answer === 'reset') {
    stream.close(constants.NGHTTP2_REFUSED_STREAM);
    return;
  }
  const { status, reason, retryAfter, timestamp } = answer;
  stream.respond({
    ':status': status,
    'apns-id': crypto.randomUUID(),
    ...(retryAfter && { 'retry-after': retryAfter }),
  });
  stream.end(reason ? JSON.stringify({ reason, timestamp }) : undefined);
}

function userIdOf({ subject }: PeerCertificate): string | undefined {
  const { UID }: Record<string, string | string[] | undefined> = { ...subject };
  return typeof UID === 'string' ? UID : undefined;
}

interface ServerFiles {
  rootPem: string;
  certificatePem: string;
  keyPem: string;
}

/** Creates a certificate for this machine's loopback address, under its own root. */
async function newServerFiles(): Promise<ServerFiles> {
  const newKeys = () => crypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']) as Promise<CryptoKeyPair>;
  const [rootKeys, keys] = await Promise.all([newKeys(), newKeys()]);
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + 30 * DAY_MS) };
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Push Stand-in Root',
    keys: rootKeys,
    signingAlgorithm: ECDSA,
    ...validity,
    extensions: [new x509.BasicConstraintsExtension(true)],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=Push Stand-in',
    issuer: root.subject,
    publicKey: keys.publicKey,
    signingKey: rootKeys.privateKey,
    signingAlgorithm: ECDSA,
    ...validity,
    extensions: [
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'ip', value: '127.0.0.1' },
        { type: 'dns', value: 'localhost' },
      ]),
    ],
  });
  const pkcs8 = (await crypto.subtle.exportKey('pkcs8', keys.privateKey)) as ArrayBuffer;
  return {
    rootPem: root.toString('pem'),
    certificatePem: certificate.toString('pem'),
    keyPem: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
  };
}
