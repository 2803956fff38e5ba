import { createCipheriv, createDecipheriv } from 'node:crypto';
import { fromBase64, toBase64 } from './crypto.ts';
import { type EncryptionKey, type KeySettings, PLAIN_KEY_ID, readEncryptionKeys } from './encryption-keys.ts';

const encoder = new TextEncoder();
const IV_BYTES = 12;
const TAG_BYTES = 16;
const DOT = '.'.charCodeAt(0);
/** `v1.<iv>.<body>` doesn't name its key; `v2.<key>.<iv>.<body>` does. */
const [UNNAMED, NAMED] = ['v1', 'v2'];

/** Returns the prefix of all values that the current key seals. */
export function sealedPrefix(settings: KeySettings): string {
  const { current, areNamed } = readEncryptionKeys(settings);
  return areNamed ? `${NAMED}.${current.id}.` : `${UNNAMED}.`;
}

/**
 * Encrypts a text with AES-256-GCM under the current key. `owner` (the row's ID) is authenticated, so that a ciphertext
 * copied to another row doesn't decrypt.
 */
export async function encrypt(settings: KeySettings, owner: string, plain: string): Promise<string> {
  return encryptSync(settings, owner, plain);
}

/** Synchronous form of `encrypt`. */
export function encryptSync(settings: KeySettings, owner: string, plain: string): string {
  const { iv, body } = sealBytes(readEncryptionKeys(settings).current, owner, encoder.encode(plain));
  return `${sealedPrefix(settings)}${toBase64(iv)}.${toBase64(body)}`;
}

/**
 * Reverses `encrypt` with the key that sealed the text. Throws if the text was changed, belongs to another owner, or
 * its key isn't set.
 */
export async function decrypt(settings: KeySettings, owner: string, sealed: string): Promise<string> {
  return decryptSync(settings, owner, sealed);
}

/** Synchronous form of `decrypt`. */
export function decryptSync(settings: KeySettings, owner: string, sealed: string): string {
  const parts = sealed.split('.');
  const [format, id] = parts;
  const [iv, body] = parts.slice(format === NAMED ? 2 : 1);
  if ((format !== NAMED && format !== UNNAMED) || !iv || !body) throw new Error('unknown format of an encrypted value');
  const keys = format === NAMED ? [keyNamed(settings, id!)] : keysForUnnamed(settings);
  return new TextDecoder().decode(unsealBytes(keys, owner, { iv: fromBase64(iv), body: fromBase64(body) }));
}

/** Encrypts bytes like `encrypt`, after a prefix that names the key. */
export function sealFile(settings: KeySettings, owner: string, plain: Uint8Array): Uint8Array<ArrayBuffer> {
  const { iv, body } = sealBytes(readEncryptionKeys(settings).current, owner, plain);
  return joined([encoder.encode(sealedPrefix(settings)), iv, body]);
}

/** Reverses `sealFile`. Throws if the bytes were changed, belong to another owner, or their key isn't set. */
export function unsealFile(settings: KeySettings, owner: string, sealed: Uint8Array): Uint8Array<ArrayBuffer> {
  // The prefix is ASCII and ends with its first dot, or with its second dot if it names the key.
  const dot = sealed.indexOf(DOT);
  const format = new TextDecoder().decode(sealed.subarray(0, Math.max(0, dot)));
  const end = format === NAMED ? sealed.indexOf(DOT, dot + 1) : dot;
  if ((format !== NAMED && format !== UNNAMED) || end < 0) throw new Error('unknown format of an encrypted file');
  const id = new TextDecoder().decode(sealed.subarray(dot + 1, end));
  const keys = format === NAMED ? [keyNamed(settings, id)] : keysForUnnamed(settings);
  const iv = sealed.subarray(end + 1, end + 1 + IV_BYTES);
  return joined([unsealBytes(keys, owner, { iv, body: sealed.subarray(end + 1 + IV_BYTES) })]);
}

function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function keyNamed(settings: KeySettings, id: string): EncryptionKey {
  const key = readEncryptionKeys(settings).all.find((one) => one.id === id);
  if (!key) throw new Error(`a value is encrypted with the key ${id}, which is not in ENCRYPTION_KEYS`);
  return key;
}

/** Tries the key without a name first. The operator may have given it a different ID since. */
function keysForUnnamed(settings: KeySettings): EncryptionKey[] {
  const { all } = readEncryptionKeys(settings);
  const isPlain = ({ id }: EncryptionKey) => id === PLAIN_KEY_ID;
  return [...all.filter(isPlain), ...all.filter((key) => !isPlain(key))];
}

/** Bytes encrypted with AES-GCM; `body` ends with the tag. */
interface SealedParts {
  iv: Uint8Array;
  body: Uint8Array;
}

function sealBytes({ bytes: key }: EncryptionKey, owner: string, plain: Uint8Array): SealedParts {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(encoder.encode(owner));
  return { iv, body: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]) };
}

function unsealBytes(keys: EncryptionKey[], owner: string, { iv, body }: SealedParts): Uint8Array {
  let failure: unknown = new Error('an encrypted value is too short');
  for (const { bytes: key } of body.length < TAG_BYTES ? [] : keys) {
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(encoder.encode(owner)).setAuthTag(body.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(body.subarray(0, -TAG_BYTES)), decipher.final()]);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
