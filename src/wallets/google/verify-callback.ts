import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import * as z from 'zod';
import { DomainError, invalid, invalidField } from '../../domain/errors.ts';
import { parseJson } from '../../platform/json.ts';

/*
 * Google signs callbacks as payment methods are signed ("Payment data cryptography", ECv2SigningOnly): a root key
 * vouches for an intermediate key, and that for the message. What is signed is each part with its length in front, so
 * that no part can pass for another.
 */
const SENDER_ID = 'GooglePayPasses';
const PROTOCOL_VERSION = 'ECv2SigningOnly';
const SIGNATURES_MAX = 10;

const Envelope = z.object({
  protocolVersion: z.literal(PROTOCOL_VERSION),
  signature: z.string(),
  intermediateSigningKey: z.object({ signedKey: z.string(), signatures: z.array(z.string()).max(SIGNATURES_MAX) }),
  signedMessage: z.string(),
});
type Envelope = z.output<typeof Envelope>;

const Millis = z.coerce.number().int().positive();
const SignedKey = z.object({ keyValue: z.string(), keyExpiration: Millis });
const NONCE_CHARS_MAX = 200;

const Message = z.object({
  classId: z.string(),
  objectId: z.string(),
  eventType: z.string(),
  expTimeMillis: Millis,
  nonce: z.string().min(1).max(NONCE_CHARS_MAX),
});
export type CallbackMessage = z.output<typeof Message> & {
  /** Number of the issuer, which the message was signed for. */
  issuerId: string;
};

/** Parses a callback, whose signature isn't verified yet. Throws `invalid` for another body. */
export function readCallback(body: unknown): { envelope: Envelope; message: CallbackMessage } {
  const envelope = Envelope.safeParse(body);
  if (!envelope.success) throw invalid('The request body is not a message of Google Wallet');
  const message = Message.safeParse(parseJson(envelope.data.signedMessage));
  if (!message.success) throw invalidField('signedMessage', 'is not a callback');
  const { classId, objectId } = message.data;
  const [, issuerId] = /^(\d+)\./.exec(classId) ?? [];
  if (!issuerId || !objectId.startsWith(`${issuerId}.`))
    throw invalidField('signedMessage', 'names no class and object of one issuer');
  return { envelope: envelope.data, message: { ...message.data, issuerId } };
}

/**
 * Whether a root key vouches for the intermediate key of a message, and that one for the message to this issuer, all of
 * them unexpired at `now` (UTC milliseconds). `unknown_key` says that no root key vouches for the intermediate one,
 * which newer root keys may.
 */
export function checkSignatures(
  { intermediateSigningKey, signature, signedMessage }: Envelope,
  recipientId: string,
  roots: RootKey[],
  now: number,
): 'good' | 'bad' | 'unknown_key' {
  const { signedKey, signatures } = intermediateSigningKey;
  const keyBytes = signedBytes(SENDER_ID, PROTOCOL_VERSION, signedKey);
  const vouches = ({ key, protocolVersion, expiresAt }: RootKey) =>
    protocolVersion === PROTOCOL_VERSION && expiresAt > now && signatures.some((one) => isSigned(keyBytes, one, key));
  if (!roots.some(vouches)) return 'unknown_key';
  const intermediate = SignedKey.safeParse(parseJson(signedKey));
  if (!intermediate.success || intermediate.data.keyExpiration <= now) return 'bad';
  const key = readPublicKey(intermediate.data.keyValue);
  const messageBytes = signedBytes(SENDER_ID, recipientId, PROTOCOL_VERSION, signedMessage);
  return key && isSigned(messageBytes, signature, key) ? 'good' : 'bad';
}

/** Refuses what is not signed by Google, or has expired. */
export function unauthentic(): DomainError {
  return new DomainError('unauthorized', 'The message is not signed by Google, or no longer valid');
}

/** Each part as UTF-8 behind its length in bytes, four of them, the lowest first. */
function signedBytes(...parts: string[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      return [length, bytes];
    }),
  );
}

/** Whether a signature (base64 DER, ECDSA with SHA-256) is good; one that is malformed is not. */
function isSigned(bytes: Buffer, signature: string, key: KeyObject): boolean {
  try {
    const decoded = Buffer.from(signature, 'base64');
    // Node reads base64 leniently; one signature shall have one form.
    return decoded.toString('base64') === signature && verify('sha256', bytes, key, decoded);
  } catch {
    return false;
  }
}

/** A root key of Google's, which vouches for those that sign messages. */
interface RootKey {
  key: KeyObject;
  protocolVersion: string;
  /** UTC milliseconds; infinite when Google names none. */
  expiresAt: number;
}

/** Google could not be asked for its keys; the message has to come again. */
export class KeysUnavailable extends Error {
  constructor(reason: string) {
    super(`Google's root keys are unavailable: ${reason}`);
    this.name = 'KeysUnavailable';
  }
}

const TIMEOUT_MS = 3_000;
const HOUR_MS = 60 * 60_000;
/** Keys are kept as long as their reply says, within these bounds. */
const KEPT_MS_MIN = 5 * 60_000;
const KEPT_MS_MAX = 24 * HOUR_MS;
/** Not asked for again by a message that they do not vouch for, so that forgeries cost Google nothing. */
const YOUNG_MS = 60_000;

const Keys = z.object({
  keys: z.array(
    z.object({ keyValue: z.string(), protocolVersion: z.string(), keyExpiration: z.coerce.number().optional() }),
  ),
});

interface Kept {
  keys: RootKey[];
  askedAt: number;
  freshUntil: number;
}

/** By URL, for the life of the isolate. */
const kept = new Map<string, Kept>();

interface RootKeysOptions {
  fetch?: typeof fetch;
  /** UTC milliseconds. */
  now?: number;
  /** Asks again, unless that has happened just now: the keys do not vouch for a message. */
  doubted?: boolean;
}

/** Google's root keys, from the isolate's memory while its copy is fresh. Throws `KeysUnavailable`. */
export async function rootKeys(url: string, options: RootKeysOptions = {}): Promise<RootKey[]> {
  const { now = Date.now(), doubted = false } = options;
  const known = kept.get(url);
  if (known && known.freshUntil > now && !(doubted && known.askedAt + YOUNG_MS <= now)) return known.keys;
  const send = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  try {
    const response = await send(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const { keys } = Keys.parse(await response.json());
    const asked = { keys: keys.flatMap(toRootKey), askedAt: now, freshUntil: now + keptMs(response) };
    kept.set(url, asked);
    return asked.keys;
  } catch (error) {
    throw new KeysUnavailable(error instanceof Error ? error.message : String(error));
  }
}

/** A key that we cannot read vouches for nothing; the others may. */
function toRootKey({ keyValue, protocolVersion, keyExpiration }: z.output<typeof Keys>['keys'][number]): RootKey[] {
  const key = readPublicKey(keyValue);
  return key ? [{ key, protocolVersion, expiresAt: keyExpiration ?? Number.POSITIVE_INFINITY }] : [];
}

/** An EC P-256 public key of base64 DER (SubjectPublicKeyInfo); undefined for anything else. */
function readPublicKey(base64: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

function keptMs(response: Response): number {
  const [, seconds] = /max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '') ?? [];
  return Math.min(Math.max(Number(seconds ?? 3_600) * 1_000, KEPT_MS_MIN), KEPT_MS_MAX);
}
