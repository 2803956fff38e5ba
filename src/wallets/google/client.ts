import type { GoogleKind } from '../../domain/templates/google/kind.ts';
import { machineNow } from '../../platform/clock.ts';
import { Lru } from '../../platform/lru.ts';
import { type GoogleCalls, type HttpCall, separateCalls } from './call-google.ts';
import { type ApiReply, replyOf, retryAfterOf, shortened, type WalletReply, withoutBody } from './reply.ts';
import { NOTIFY_ON_UPDATE, type Resource, type WalletResource } from './resource.ts';
import type { GoogleSigner } from './signer.ts';
import { accessToken, forgetToken } from './signer.ts';

const KNOWN_CLASSES_MAX = 1_000;

/**
 * Classes that Google has, by issuer and name, so that they are inserted only once. The name identifies the content.
 */
const knownClasses = new Lru<true>(KNOWN_CLASSES_MAX);

/** A text for the holder of a pass. */
export interface WalletMessage {
  /** Distinguishes the messages of a pass. Google doesn't enforce uniqueness. */
  id: string;
  header: string;
  body: string;
}

/** The result of sending an object. */
export interface ObjectReply extends WalletReply {
  /** Google didn't have it, so nobody holds it yet. */
  inserted?: boolean;
  /** Identifier of the newest message; undefined if messages weren't read. */
  lastMessageId?: string;
}

/** Known state of Google's object before a card is sent. */
export interface KnownObject {
  exists: boolean;
  /** Whether it may have messages, which a replacement must keep. */
  hasMessages: boolean;
}

const EXPIRED = 'EXPIRED';
const BLANK = '–';
const BLANK_TEXT = { defaultValue: { language: 'en', value: BLANK } };

/** Members that Google requires in an object of each kind, without values of the pass. */
const BLANK_MEMBERS: Record<GoogleKind, Record<string, unknown>> = {
  flight: { passengerName: BLANK, reservationInfo: { confirmationCode: BLANK } },
  transit: { tripType: 'ONE_WAY', validTimeInterval: { start: { date: '1970-01-01T00:00:00Z' } } },
  offer: {},
  eventTicket: {},
  loyalty: {},
  giftCard: { cardNumber: BLANK },
  generic: { cardTitle: BLANK_TEXT, header: BLANK_TEXT },
};

const UNKNOWN_OBJECT: KnownObject = { exists: false, hasMessages: true };

/**
 * Client of the Google Wallet REST API with the key of one service account. Failures of Google are outcomes and never
 * thrown. Each call makes one to four HTTP requests. Google allows 20 per second and issuer; the caller must keep that
 * rate.
 */
export class WalletObjects {
  #signer: GoogleSigner;
  #calls: GoogleCalls;
  #now: () => number;

  constructor(signer: GoogleSigner, { calls, now }: { calls?: GoogleCalls; now?: () => number } = {}) {
    this.#signer = signer;
    this.#calls = calls ?? separateCalls();
    this.#now = now ?? machineNow;
  }

  /** Inserts a class that is named after its content, unless Google has it. */
  async insertClass({ kind, resource }: WalletResource): Promise<WalletReply> {
    const name = this.#nameOf(resource.id);
    if (knownClasses.get(name)) return { outcome: 'ok' };
    return this.#calls.once(`class ${name}`, async () => {
      let reply = await this.#call('POST', `/${kind}Class`, resource);
      if (reply.status === 409) reply = { outcome: 'ok', status: 409 };
      if (reply.outcome === 'ok') knownClasses.set(name, true);
      return withoutBody(reply);
    });
  }

  /** Replaces or inserts a class. With `shouldNotify`, Google notifies the holders of its passes. */
  async replaceClass({ kind, resource }: WalletResource, shouldNotify = false): Promise<WalletReply> {
    const type = `${kind}Class`;
    const replaced = await this.#put(pathOf(type, resource), resource, shouldNotify);
    if (replaced.outcome !== 'not_found') return withoutBody(replaced);
    const inserted = await this.#call('POST', `/${type}`, resource);
    if (inserted.status !== 409) return withoutBody(inserted);
    return withoutBody(await this.#put(pathOf(type, resource), resource, shouldNotify));
  }

  /** Sends an update, without a notification once Google's three per pass in 24 hours are used up. */
  async #put(path: string, resource: Resource, shouldNotify: boolean): Promise<ApiReply> {
    if (!shouldNotify) return this.#call('PUT', path, resource);
    const reply = await this.#call('PUT', path, { ...resource, ...NOTIFY_ON_UPDATE });
    return reply.outcome === 'quota' ? this.#call('PUT', path, resource) : reply;
  }

  /** Makes the next pass of a class insert it again, because Google reported that it doesn't exist. */
  forgetClass(id: string): void {
    knownClasses.delete(this.#nameOf(id));
  }

  /**
   * Replaces an object (PUT) and keeps its messages, or inserts it. A PATCH would keep members that the pass no longer
   * has. Takes one request if `known` shows whether the object exists and that it has no messages. With `shouldNotify`,
   * Google notifies its holders of the change.
   */
  async upsertObject(
    object: WalletResource,
    known: KnownObject = UNKNOWN_OBJECT,
    shouldNotify = false,
  ): Promise<ObjectReply> {
    if (known.exists) {
      const replaced = await this.#replaceObject(object, known.hasMessages, shouldNotify);
      if (replaced.outcome !== 'not_found') return replaced;
    }
    const inserted = await this.#call('POST', `/${object.kind}Object`, object.resource);
    if (inserted.status !== 409) {
      return { ...withoutBody(inserted), ...(inserted.outcome === 'ok' && { inserted: true }) };
    }
    return this.#replaceObject(object, known.hasMessages, shouldNotify);
  }

  async #replaceObject(
    { kind, resource }: WalletResource,
    hasMessages: boolean,
    shouldNotify: boolean,
  ): Promise<ObjectReply> {
    const path = pathOf(`${kind}Object`, resource);
    if (!hasMessages) return withoutBody(await this.#put(path, resource, shouldNotify));
    const existing = await this.#call('GET', path);
    if (existing.outcome !== 'ok') return withoutBody(existing);
    const messages = existing.body?.messages as { id?: string }[] | undefined;
    const reply = await this.#put(path, { ...resource, ...(messages ? { messages } : {}) }, shouldNotify);
    return { ...withoutBody(reply), lastMessageId: messages?.at(-1)?.id };
  }

  /** Replaces an object with an expired one without values of the pass. */
  async expireObject(kind: GoogleKind, objectId: string): Promise<WalletReply> {
    const path = pathOf(`${kind}Object`, { id: objectId });
    const existing = await this.#call('GET', path);
    if (existing.outcome !== 'ok') return withoutBody(existing);
    const blank = { id: objectId, classId: existing.body?.classId, state: EXPIRED, ...BLANK_MEMBERS[kind] };
    return withoutBody(await this.#call('PUT', path, blank));
  }

  /**
   * Adds a text to a pass and notifies its holder. Once Google's three notifications in 24 hours are used up, adds it
   * without one; the outcome is then `quota`.
   */
  async addMessage(kind: GoogleKind, objectId: string, message: WalletMessage): Promise<WalletReply> {
    const path = `${pathOf(`${kind}Object`, { id: objectId })}/addMessage`;
    const add = (messageType: string) => this.#call('POST', path, { message: { ...message, messageType } });
    const reply = await add('TEXT_AND_NOTIFY');
    if (reply.outcome !== 'quota') return withoutBody(reply);
    const silent = await add('TEXT');
    return withoutBody(silent.outcome === 'ok' ? { ...silent, outcome: 'quota' } : silent);
  }

  #nameOf(classId: string): string {
    return `${this.#signer.id} ${this.#signer.clientEmail} ${classId}`;
  }

  /** Makes one request, and a second one if Google refused the cached token. */
  async #call(method: string, path: string, body?: unknown): Promise<ApiReply> {
    const reply = await this.#attempt(method, path, body);
    if (reply.status !== 401) return reply;
    forgetToken(this.#signer);
    return this.#attempt(method, path, body);
  }

  async #attempt(method: string, path: string, body: unknown): Promise<ApiReply> {
    try {
      const access = await this.#calls.once(`token ${this.#nameOf('')}`, () => this.#token());
      if ('failure' in access) return access.failure;
      const response = await this.#calls.call({
        url: `${this.#signer.endpoints.apiUrl}${path}`,
        method,
        headers: { authorization: `Bearer ${access.token}`, 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      return await replyOf(response, this.#now());
    } catch (error) {
      return { outcome: 'unavailable', message: shortened(error instanceof Error ? error.message : String(error)) };
    }
  }

  async #token(): Promise<{ token: string } | { failure: ApiReply }> {
    const send = (call: HttpCall) => this.#calls.callAlone(call);
    const access = await accessToken(this.#signer, send, this.#now());
    return 'refused' in access ? { failure: await this.#tokenFailure(access.refused) } : access;
  }

  /** Converts a failure of the token endpoint, which refuses a service account with 400 (`invalid_grant`) or 401. */
  async #tokenFailure(response: Response): Promise<ApiReply> {
    const message = shortened(await response.text());
    const outcome = response.status === 429 ? 'rate_limited' : response.status < 500 ? 'denied' : 'unavailable';
    return { outcome, message, retryAfterSeconds: retryAfterOf(response, this.#now()) };
  }
}

function pathOf(type: string, { id }: Pick<Resource, 'id'>): string {
  return `/${type}/${encodeURIComponent(id)}`;
}
