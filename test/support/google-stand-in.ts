import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { importSPKI, jwtVerify } from 'jose';
import { admin, type Client, type Reply, send } from './api.ts';
import { answerBatch } from './google-batch.ts';
import { typingFaults } from './google-typings.ts';
import {
  type Answer,
  type OutsideReply,
  type OutsideRequest,
  type OutsideServer,
  openOutsideServer,
} from './outside-server.ts';

const API_PATH = '/walletobjects/v1';
const CALLBACK_PATH = '/wallet/google/callback';
const SCOPE = 'https://www.googleapis.com/auth/wallet_object.issuer';
const TOKEN_AUDIENCE = 'https://oauth2.googleapis.com/token';
const TOKEN_SECONDS = 3_600;
const NOTIFICATIONS_MAX = 3;
const HOUR_MS = 60 * 60_000;

/** Parsed JSON of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: expectations check what they reach for
type Json = any;

/** A call to the Wallet REST API. */
export interface GoogleCall {
  method: string;
  /** Below the API's base: `/genericObject/3388….…`. */
  path: string;
  body: Json;
  status: number;
}

interface SigningKey {
  privateKey: KeyObject;
  /** Base64 of the DER form. */
  publicKey: string;
}

/** Changes to a callback that must make it invalid. */
export interface CallbackChanges {
  expTimeMillis?: number | string;
  nonce?: string;
  classId?: string;
  objectId?: string;
  eventType?: string;
  recipientId?: string;
  senderId?: string;
  protocolVersion?: string;
  keyExpiration?: number | string;
  /** Replaces the root key's signature. */
  root?: SigningKey;
  /** Changes the message after signing. */
  tamper?: (envelope: Json) => void;
}

let keys: { publicKey: string; privateKey: string } | undefined;

/** Creating RSA keys takes longer than most tests, so all service accounts share them. */
function serviceAccountKeys() {
  keys ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return keys;
}

/**
 * Google Wallet from an issuer's point of view: issues tokens to known service accounts, stores classes and objects,
 * rejects what Google rejects, and reports saves and removals in messages that only the published keys verify. Each
 * stand-in is its own server, so test files don't interfere.
 */
export class GoogleStandIn {
  issuerId = `33880${Math.floor(Math.random() * 1e14)
    .toString()
    .padStart(14, '0')}`;
  calls: GoogleCall[] = [];
  /** Resources by `<type>/<id>`. */
  resources = new Map<string, Json>();
  tokensGiven = 0;
  /** Replies that replace the next ones. */
  failures: OutsideReply[] = [];
  /** Number of calls in each batch request. */
  batches: number[] = [];
  /** Replies that replace those to the next batch requests. */
  batchFailures: OutsideReply[] = [];
  /** Issuers that no service account can access. */
  foreignIssuers = new Set<string>();
  rootKeysAsked = 0;
  /** Whether fetching the keys fails. */
  rootKeysFail = false;
  /** Called before the next answers, to do something meanwhile. */
  beforeAnswer?: (call: Omit<GoogleCall, 'status'>) => Promise<void>;
  root = newSigningKey();
  server!: OutsideServer;
  #intermediate = newSigningKey();
  #accounts = new Map<string, string>();
  #tokens = new Set<string>();
  #notifications = new Map<string, number>();

  /** Opens a stand-in for the Worker under test, or with `openServer` for code in the test's process. */
  static async open(openWith: (answer: Answer) => Promise<OutsideServer> = openOutsideServer): Promise<GoogleStandIn> {
    const google = new GoogleStandIn();
    google.server = await openWith((request) => google.#answer(request));
    return google;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  /** Sets up an issuer in this stand-in for an account. */
  async admit({ accountId }: Pick<Client, 'accountId'>, options: { issuerId?: string } = {}): Promise<void> {
    await admin('google-issuer import', { account: accountId, ...this.newIssuer(), ...options });
  }

  /** Returns the files of an issuer with its own service account, for `importGoogleIssuer`. */
  newIssuer() {
    const { publicKey, privateKey } = serviceAccountKeys();
    const clientEmail = `${randomUUID()}@example.iam.gserviceaccount.com`;
    this.#accounts.set(clientEmail, publicKey);
    return { issuerId: this.issuerId, clientEmail, privateKeyPem: privateKey, standInUrl: this.server.origin };
  }

  objectId(passId: string): string {
    return `${this.issuerId}.${passId}`;
  }

  /** Returns a pass's object as its holders have it. */
  object(passId: string, type = 'genericObject'): Json {
    return this.resources.get(`${type}/${this.objectId(passId)}`);
  }

  /** Returns calls that name a pass or contain its object, oldest first. */
  callsOf(passId: string): GoogleCall[] {
    const id = this.objectId(passId);
    return this.calls.filter(({ path, body }) => path.includes(id) || body?.id === id);
  }

  /** Returns which of the texts occur in its classes and objects. */
  holding(texts: string[]): string[] {
    const held = JSON.stringify([...this.resources]);
    return texts.filter((text) => held.includes(text));
  }

  /** Revokes all tokens, as Google may at any time. */
  withdrawTokens(): void {
    this.#tokens.clear();
  }

  /** Simulates that a holder uses a save link: inserts the object in the link, unless it exists. */
  saveByLink(url: string): void {
    const [, claims] = url.slice(url.lastIndexOf('/') + 1).split('.');
    const { payload } = JSON.parse(Buffer.from(claims!, 'base64url').toString());
    for (const [list, resources] of Object.entries(payload as Record<string, Json[]>)) {
      const type = list.replace(/Classes$/, 'Class').replace(/Objects$/, 'Object');
      for (const resource of resources) {
        const key = `${type}/${resource.id}`;
        const isReference = Object.keys(resource).every((name) => name === 'id' || name === 'classId');
        if (isReference && !this.resources.has(key)) throw new Error(`the link names ${key}, which does not exist`);
        if (!this.resources.has(key)) this.resources.set(key, resource);
      }
    }
  }

  /** Returns what Google posts when a holder saves a pass (`save`) or removes it (`del`). */
  callback(passId: string, eventType: string, changes: CallbackChanges = {}): Json {
    const senderId = changes.senderId ?? 'GooglePayPasses';
    const protocolVersion = changes.protocolVersion ?? 'ECv2SigningOnly';
    const recipientId = changes.recipientId ?? this.issuerId;
    const signedKey = JSON.stringify({
      keyValue: this.#intermediate.publicKey,
      keyExpiration: String(changes.keyExpiration ?? Date.now() + HOUR_MS),
    });
    const signedMessage = JSON.stringify({
      classId: changes.classId ?? `${this.issuerId}.some-class`,
      objectId: changes.objectId ?? this.objectId(passId),
      eventType: changes.eventType ?? eventType,
      expTimeMillis: changes.expTimeMillis ?? Date.now() + HOUR_MS,
      count: 1,
      nonce: changes.nonce ?? randomUUID(),
    });
    const root = changes.root ?? this.root;
    const envelope = {
      signature: signParts(this.#intermediate, senderId, recipientId, protocolVersion, signedMessage),
      intermediateSigningKey: {
        signedKey,
        signatures: [signParts(root, senderId, protocolVersion, signedKey)],
      },
      protocolVersion,
      signedMessage,
    };
    changes.tamper?.(envelope);
    return envelope;
  }

  /** Posts to the Worker like Google, and returns its reply. */
  tell(passId: string, eventType: 'save' | 'del', changes?: CallbackChanges): Promise<Reply> {
    return send('POST', CALLBACK_PATH, this.callback(passId, eventType, changes));
  }

  async #answer(request: OutsideRequest): Promise<OutsideReply> {
    const { pathname, searchParams } = new URL(request.path, 'https://stand-in');
    if (pathname === '/token') return this.#token(request);
    if (pathname === '/gp/m/issuer/keys') return this.#rootKeys();
    if (pathname === '/batch') return this.#batch(request);
    if (!pathname.startsWith(API_PATH)) return json(404, { error: { message: `no ${pathname}` } });
    const asked = searchParams.get('issuerId');
    if (asked)
      return this.foreignIssuers.has(asked) ? problem(403, 'Permission denied.') : json(200, { resources: [] });
    const path = decodeURIComponent(pathname.slice(API_PATH.length));
    const text = request.body.toString();
    const call = { method: request.method, path, body: text ? JSON.parse(text) : undefined };
    await this.beforeAnswer?.(call);
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    const failure = this.failures.shift();
    const reply = failure ?? (token && this.#tokens.has(token) ? this.#api(call) : problem(401, 'no valid token'));
    this.calls.push({ ...call, status: reply.status ?? 200 });
    return reply;
  }

  async #batch(request: OutsideRequest): Promise<OutsideReply> {
    const failure = this.batchFailures.shift();
    if (failure) return failure;
    let calls = 0;
    const contentType = request.headers['content-type'] ?? '';
    const reply = await answerBatch(contentType, request.body.toString(), async ({ method, path, body }) => {
      calls += 1;
      const one = await this.#answer({ ...request, method, path, body: Buffer.from(body) });
      return { status: one.status ?? 200, headers: one.headers ?? {}, body: String(one.body ?? '') };
    });
    this.batches.push(calls);
    return reply;
  }

  async #token({ body, headers }: OutsideRequest): Promise<OutsideReply> {
    const form = new URLSearchParams(body.toString());
    const assertion = form.get('assertion') ?? '';
    const email = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString() || '{}').iss;
    const publicKey = this.#accounts.get(email);
    if (!publicKey || form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
      return json(400, { error: 'invalid_grant' });
    }
    const key = await importSPKI(publicKey, 'RS256');
    const terms = { issuer: email, audience: TOKEN_AUDIENCE, algorithms: ['RS256'] };
    const verified = await jwtVerify(assertion, key, terms).catch(() => undefined);
    if (!verified) return json(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' });
    const { payload } = verified;
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
    if (payload.scope !== SCOPE || payload.exp! - payload.iat! > 3_600 || !isForm)
      return json(400, { error: 'invalid_scope' });
    this.tokensGiven += 1;
    const token = randomUUID();
    this.#tokens.add(token);
    return json(200, { access_token: token, expires_in: TOKEN_SECONDS, token_type: 'Bearer' });
  }

  #rootKeys(): OutsideReply {
    this.rootKeysAsked += 1;
    if (this.rootKeysFail) return { status: 502, body: 'Bad gateway' };
    const keyExpiration = String(Date.now() + 24 * HOUR_MS);
    const decoy = newSigningKey().publicKey;
    const keys = [
      { keyValue: decoy, protocolVersion: 'ECv1' },
      { keyValue: this.root.publicKey, protocolVersion: 'ECv2SigningOnly', keyExpiration },
    ];
    return json(200, { keys });
  }

  #api({ method, path, body }: Omit<GoogleCall, 'status'>): OutsideReply {
    const [, type = '', id, action] = path.split('/');
    if (!/^(flight|transit|offer|eventTicket|loyalty|giftCard|generic)(Class|Object)$/.test(type))
      return problem(404, 'no such type');
    if (method === 'POST' && action === 'addMessage') return this.#addMessage(`${type}/${id}`, body);
    const key = `${type}/${id ?? body.id}`;
    const existing = this.resources.get(key);
    if (method === 'GET') return existing ? json(200, existing) : problem(404, `${key} not found`);
    const wrong = this.#refusal(type, method, body);
    if (wrong) return problem(400, wrong);
    if (method === 'POST' && existing) return problem(409, `${key} exists`);
    if (method !== 'POST' && !existing) return problem(404, `${key} not found`);
    const { notifyPreference, ...sent } = body;
    if (method !== 'POST' && notifyPreference === 'NOTIFY_ON_UPDATE' && !this.#notify(key)) return quotaExceeded();
    const resource = method === 'PATCH' ? { ...existing, ...sent } : sent;
    this.resources.set(key, resource);
    return json(200, { ...resource, hasUsers: false });
  }

  #refusal(type: string, method: string, body: Json): string | undefined {
    const [fault] = typingFaults(type, body);
    if (fault) return `Invalid JSON payload received. ${fault}`;
    if (method === 'PATCH') return undefined;
    if (!new RegExp(`^${this.issuerId}\\.[\\w.-]+$`).test(body.id)) return `bad id ${body.id}`;
    if (type.endsWith('Class')) {
      const needsReview = type !== 'genericClass' && body.reviewStatus !== 'UNDER_REVIEW';
      return needsReview ? 'reviewStatus must be UNDER_REVIEW' : undefined;
    }
    if (!['ACTIVE', 'INACTIVE', 'COMPLETED', 'EXPIRED'].includes(body.state)) return `bad state ${body.state}`;
    const classKey = `${type.replace(/Object$/, 'Class')}/${body.classId}`;
    return this.resources.has(classKey) ? undefined : `${classKey} does not exist`;
  }

  /** Whether a resource may notify once more; messages and updates count together. */
  #notify(key: string): boolean {
    const count = this.#notifications.get(key) ?? 0;
    if (count < NOTIFICATIONS_MAX) this.#notifications.set(key, count + 1);
    return count < NOTIFICATIONS_MAX;
  }

  #addMessage(key: string, { message }: Json): OutsideReply {
    const existing = this.resources.get(key);
    if (!existing) return problem(404, `${key} not found`);
    if (!message?.header || !message.body || !message.id) return problem(400, 'a message has id, header and body');
    if (message.messageType === 'TEXT_AND_NOTIFY') {
      if (!this.#notify(key)) return quotaExceeded();
    } else if (message.messageType !== 'TEXT') {
      return problem(400, `bad type ${message.messageType}`);
    }
    const resource = { ...existing, messages: [...(existing.messages ?? []), message] };
    this.resources.set(key, resource);
    return json(200, { resource });
  }
}

/** Creates an EC P-256 key pair, like Google's. */
export function newSigningKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return { privateKey, publicKey: der.toString('base64') };
}

function signParts({ privateKey }: SigningKey, ...parts: string[]): string {
  const bytes = Buffer.concat(
    parts.map((part) => {
      const text = Buffer.from(part);
      const lengthAndText = Buffer.alloc(4 + text.length);
      lengthAndText.writeUInt32LE(text.length);
      text.copy(lengthAndText, 4);
      return lengthAndText;
    }),
  );
  return sign('sha256', bytes, { key: privateKey, dsaEncoding: 'der' }).toString('base64');
}

function json(status: number, body: object): OutsideReply {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

function quotaExceeded(): OutsideReply {
  return problem(403, 'QuotaExceededException: notifications of this pass');
}

function problem(status: number, message: string): OutsideReply {
  return json(status, { error: { code: status, message } });
}
