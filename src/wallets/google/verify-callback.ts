import { type KeyObject, verify } from 'node:crypto';
import { z } from 'zod';
import { DomainError, invalid, invalidField } from '../../domain/errors.ts';
import { parseJson } from '../../platform/json.ts';
import { type RootKey, readPublicKey } from './root-keys.ts';

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

/** What Google sent, not to be believed yet. Throws `invalid` for what is no callback. */
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
