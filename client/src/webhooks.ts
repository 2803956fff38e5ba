import type { EventBodies } from './generated/types.ts';

/** An event that a webhook delivered. `type` determines the shape of `data`. */
export type WebhookEvent = {
  [Type in keyof EventBodies]: {
    /** Identifies the event, the same in retries, resends and recoveries. */
    id: string;
    type: Type;
    /** Time of this attempt. */
    sentAt: Date;
    data: EventBodies[Type];
  };
}[keyof EventBodies];

export type VerificationFailure =
  | 'missing_header'
  | 'invalid_secret'
  | 'invalid_timestamp'
  | 'too_old'
  | 'too_new'
  | 'wrong_signature'
  | 'invalid_body';

/** A delivery that can't be trusted. Answer it with a 401. */
export class WebhookVerificationError extends Error {
  readonly reason: VerificationFailure;

  constructor(reason: VerificationFailure, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.reason = reason;
  }
}

/** Headers of a `Request`, of Node's `IncomingMessage`, or of a framework. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** Seconds by which clocks and networks may differ. */
  toleranceSeconds?: number;
}

const PREFIX = 'whsec_';
const TOLERANCE_SECONDS = 300;

/**
 * Verifies a delivery and returns its event. Pass the body as it arrived: parsing and serializing it again may change
 * it. Throws a `WebhookVerificationError`.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | ArrayBuffer | Uint8Array,
  secret: string,
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, sentAt, signatures, type] = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-event-type'].map(
    (name) => headerOf(headers, name),
  ) as [string, string, string, string];
  checkTime(sentAt, toleranceSeconds);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const start = new TextEncoder().encode(`${id}.${sentAt}.`);
  const signed = new Uint8Array(start.length + bytes.length);
  signed.set(start);
  signed.set(bytes, start.length);
  if (!(await hasSignature(await importSecret(secret), signatures, signed))) {
    fail('wrong_signature', 'No signature fits the body and the secret');
  }
  return { id, type, sentAt: new Date(Number(sentAt) * 1_000), data: parse(bytes) } as WebhookEvent;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  return [value].flat()[0] || fail('missing_header', `The header ${name} is missing`);
}

/** A request from another realm has a different `Headers` class. */
const isHeaders = (headers: WebhookHeaders): headers is Headers => typeof headers.get === 'function';

function checkTime(text: string, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(text)) fail('invalid_timestamp', 'The header webhook-timestamp is no time');
  const age = Date.now() / 1_000 - Number(text);
  if (age > toleranceSeconds) fail('too_old', 'The delivery is too old');
  if (age < -toleranceSeconds) fail('too_new', 'The delivery is from the future: check your clock');
}

async function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = secret?.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : undefined;
  if (!bytes?.length) fail('invalid_secret', 'A signing secret looks like whsec_…');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** After a rotation, a delivery has a signature for each secret. WebCrypto compares in constant time. */
async function hasSignature(key: CryptoKey, header: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  for (const entry of header.split(' ')) {
    const signature = entry.startsWith('v1,') ? fromBase64(entry.slice(3)) : undefined;
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true;
  }
  return false;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return fail('invalid_body', 'The body is no JSON');
  }
}

function fail(reason: VerificationFailure, message: string): never {
  throw new WebhookVerificationError(reason, message);
}
