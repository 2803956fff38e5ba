import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import * as z from 'zod';
import { type Context, inShard } from '../../domain/context.ts';
import { DomainError, invalid, invalidField } from '../../domain/errors.ts';
import { reviveGoogleObject } from '../../domain/passes/deletion/tombstones.ts';
import { findGooglePass, type GooglePass } from '../../domain/passes/google/find-google-pass.ts';
import { recordSave } from '../../domain/registrations/record-save.ts';
import { shardOf, UUID_PATTERN } from '../../platform/ids.ts';
import { parseJson } from '../../platform/json.ts';
import { logLine } from '../../platform/log.ts';
import { endpointsOfIssuer } from './call-google.ts';

/*
 * Google signs callbacks like payment methods ("Payment data cryptography", ECv2SigningOnly): a root key signs an
 * intermediate key, which signs the message. The signed bytes prefix each part with its length, so that no part can be
 * taken for another.
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
type CallbackMessage = z.output<typeof Message> & {
  /** ID of the issuer for which the message was signed. */
  issuerId: string;
};

/** Parses a callback without verifying its signature. Throws `invalid` for any other body. */
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
 * Checks that a root key signed the message's intermediate key, that this key signed the message for this issuer, and
 * that all are unexpired at `now` (UTC milliseconds). `unknown_key`: no root key signed the intermediate key, but newer
 * root keys may have.
 */
export function checkSignatures(
  { intermediateSigningKey, signature, signedMessage }: Envelope,
  recipientId: string,
  roots: RootKey[],
  now: number,
): 'good' | 'bad' | 'unknown_key' {
  const { signedKey, signatures } = intermediateSigningKey;
  const keyBytes = signedBytes(SENDER_ID, PROTOCOL_VERSION, signedKey);
  const hasSigned = ({ key, protocolVersion, expiresAt }: RootKey) =>
    protocolVersion === PROTOCOL_VERSION && expiresAt > now && signatures.some((one) => isSigned(keyBytes, one, key));
  if (!roots.some(hasSigned)) return 'unknown_key';
  const intermediate = SignedKey.safeParse(parseJson(signedKey));
  if (!intermediate.success || intermediate.data.keyExpiration <= now) return 'bad';
  const key = readPublicKey(intermediate.data.keyValue);
  const messageBytes = signedBytes(SENDER_ID, recipientId, PROTOCOL_VERSION, signedMessage);
  return key && isSigned(messageBytes, signature, key) ? 'good' : 'bad';
}

/** Returns the error for a message that Google didn't sign or that has expired. */
function unauthentic(): DomainError {
  return new DomainError('unauthorized', 'The message is not signed by Google, or no longer valid');
}

/** Joins the parts as UTF-8, each after its length in four bytes, little-endian. */
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

/** Returns whether a signature (base64 DER, ECDSA with SHA-256) is valid; false if it is malformed. */
function isSigned(bytes: Buffer, signature: string, key: KeyObject): boolean {
  try {
    const decoded = Buffer.from(signature, 'base64');
    // Node reads base64 leniently, but a signature must have only one valid form.
    return decoded.toString('base64') === signature && verify('sha256', bytes, key, decoded);
  } catch {
    return false;
  }
}

/** A root key of Google, which signs the keys that sign messages. */
interface RootKey {
  key: KeyObject;
  protocolVersion: string;
  /** UTC milliseconds; infinite if Google states none. */
  expiresAt: number;
}

/** Google's keys couldn't be loaded, so the message must be sent again. */
export class KeysUnavailable extends Error {
  constructor(reason: string) {
    super(`Google's root keys are unavailable: ${reason}`);
    this.name = 'KeysUnavailable';
  }
}

const TIMEOUT_MS = 3_000;
const HOUR_MS = 60 * 60_000;
/** Keys are cached as long as their reply says, within these bounds. */
const KEPT_MS_MIN = 5 * 60_000;
const KEPT_MS_MAX = 24 * HOUR_MS;
/**
 * Keys younger than this aren't reloaded for an unverifiable message, so that forgeries cause no requests to Google.
 */
const YOUNG_MS = 60_000;

const Keys = z.object({
  keys: z.array(
    z.object({ keyValue: z.string(), protocolVersion: z.string(), keyExpiration: z.coerce.number().optional() }),
  ),
});

/** By URL, cached in the isolate. */
const kept = new Map<string, { keys: RootKey[]; askedAt: number; freshUntil: number }>();

interface RootKeysOptions {
  fetch?: typeof fetch;
  /** UTC milliseconds. */
  now?: number;
  /** Reloads the keys unless they were just loaded, because they don't verify a message. */
  isDoubted?: boolean;
}

/** Returns Google's root keys, from the isolate's cache while it is fresh. Throws `KeysUnavailable`. */
export async function rootKeys(url: string, options: RootKeysOptions = {}): Promise<RootKey[]> {
  const { now = Date.now(), isDoubted = false } = options;
  const known = kept.get(url);
  if (known && known.freshUntil > now && !(isDoubted && known.askedAt + YOUNG_MS <= now)) return known.keys;
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

/** Converts a key. An unreadable key is ignored; others may still match. */
function toRootKey({ keyValue, protocolVersion, keyExpiration }: z.output<typeof Keys>['keys'][number]): RootKey[] {
  const key = readPublicKey(keyValue);
  return key ? [{ key, protocolVersion, expiresAt: keyExpiration ?? Number.POSITIVE_INFINITY }] : [];
}

/** Reads an EC P-256 public key from base64 DER (SubjectPublicKeyInfo); undefined for anything else. */
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

/**
 * Handles a Google Wallet callback: a holder saved or removed a pass. Throws `invalid` or `unauthorized` before reading
 * or storing anything if Google didn't send it, and `KeysUnavailable`. Ignores repeats, unknown passes, and passes of
 * accounts that don't use the issuer. Two round trips.
 */
export async function takeCallback(ctx: Context, body: unknown): Promise<void> {
  const { envelope, message } = readCallback(body);
  const { issuerId, objectId } = message;
  const passId = objectId.slice(issuerId.length + 1);
  const { rootKeysUrl } = await endpointsOfIssuer(inShard(ctx, shardOf(passId)), issuerId);
  const now = Date.now();
  let checked = checkSignatures(envelope, issuerId, await rootKeys(rootKeysUrl), now);
  if (checked === 'unknown_key') {
    checked = checkSignatures(envelope, issuerId, await rootKeys(rootKeysUrl, { isDoubted: true }), now);
  }
  if (checked !== 'good' || message.expTimeMillis <= now) throw unauthentic();
  await record(ctx, passId, message);
}

async function record(ctx: Context, passId: string, message: CallbackMessage): Promise<void> {
  const { issuerId, eventType, nonce, expTimeMillis } = message;
  if (eventType !== 'save' && eventType !== 'del') {
    logLine('info', { event: 'google-callback', requestId: ctx.requestId, pass: passId, type: eventType });
    return;
  }
  if (!UUID_PATTERN.test(passId)) return;
  const googlePass = await findGooglePass(ctx, { passId });
  if (!googlePass) {
    if (eventType === 'save') await reviveGoogleObject(ctx, passId, issuerId);
    return;
  }
  if (!issuerOf(googlePass, issuerId)) return;
  const { found } = googlePass;
  await recordSave(googlePass.ctx, found, { event: eventType, nonce, expiresAt: expTimeMillis });
}

/** Returns the issuer if the pass's account uses it and Google knows it: objects of other issuers can have any name. */
function issuerOf({ issuers }: GooglePass, issuerId: string) {
  return issuers.find((issuer) => issuer.issuerId === issuerId && !issuer.development);
}
