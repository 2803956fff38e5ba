import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { fromBase64, toBase64 } from './crypto.ts';
import type { Env } from './env.ts';

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

/** Settings that hold the keys. */
export type KeySettings = Pick<Env, 'ENCRYPTION_KEY' | 'ENCRYPTION_KEYS'>;

/** A key for encryption at rest. */
interface EncryptionKey {
  id: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The encryption keys of the service. */
interface EncryptionKeys {
  /** Key that encrypts; the first one of `all`. */
  current: EncryptionKey;
  all: EncryptionKey[];
  /**
   * Whether sealed values name their key. With ENCRYPTION_KEY alone they don't, so that earlier releases can open them.
   */
  areNamed: boolean;
}

/** Identifier of ENCRYPTION_KEY. */
const PLAIN_KEY_ID = '1';

const KEY_BYTES = 32;
const ENTRY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_=-]{43,44})$/;
const HINT = 'must look like 2:<key>,1:<older key>; make a key with: openssl rand -base64 32';

/** The last settings that were read; all requests of an isolate have the same. */
let known: { settings: KeySettings; keys: EncryptionKeys } | undefined;

/**
 * Reads the keys. The first key of ENCRYPTION_KEYS encrypts; all keys, including ENCRYPTION_KEY, decrypt. Throws an
 * error that names the problem without showing a key.
 */
export function readEncryptionKeys({ ENCRYPTION_KEY, ENCRYPTION_KEYS }: KeySettings): EncryptionKeys {
  if (known?.settings.ENCRYPTION_KEY === ENCRYPTION_KEY && known?.settings.ENCRYPTION_KEYS === ENCRYPTION_KEYS) {
    return known!.keys;
  }
  const keys = keysOf(ENCRYPTION_KEYS?.trim() ?? '', ENCRYPTION_KEY?.trim() ?? '');
  known = { settings: { ENCRYPTION_KEY, ENCRYPTION_KEYS }, keys };
  return keys;
}

function keysOf(named: string, plain: string): EncryptionKeys {
  const all = named === '' ? [] : named.split(',').map(keyOf);
  const twice = all.find(({ id }, i) => all.findIndex((one) => one.id === id) < i);
  if (twice) throw new Error(`ENCRYPTION_KEYS has two keys with the ID ${twice.id}`);
  if (plain !== '') {
    const key = { id: PLAIN_KEY_ID, bytes: bytesOf(plain, 'ENCRYPTION_KEY must be 32 bytes in base64') };
    const same = all.find(({ id }) => id === PLAIN_KEY_ID);
    if (!same) all.push(key);
    else if (!same.bytes.every((byte, i) => byte === key.bytes[i])) {
      throw new Error(`ENCRYPTION_KEY has the ID ${PLAIN_KEY_ID}, and ENCRYPTION_KEYS has another key with that ID`);
    }
  }
  const [current] = all;
  if (!current) throw new Error('ENCRYPTION_KEYS or ENCRYPTION_KEY must be set');
  return { current, all, areNamed: named !== '' };
}

function keyOf(entry: string, i: number): EncryptionKey {
  const [, id, text] = ENTRY.exec(entry.trim()) ?? [];
  const problem = `ENCRYPTION_KEYS ${HINT} (entry ${i + 1})`;
  if (!id || !text) throw new Error(problem);
  return { id, bytes: bytesOf(text, problem) };
}

function bytesOf(text: string, problem: string): Uint8Array<ArrayBuffer> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = fromBase64(text);
  } catch {
    throw new Error(problem);
  }
  if (bytes.length !== KEY_BYTES) throw new Error(problem);
  return bytes;
}

/**
 * Derives keys for one purpose, such as a MAC, from the encryption keys (RFC 5869). The first one creates and all
 * verify, so values from before a rotation remain valid.
 */
export function deriveKeys(settings: KeySettings, purpose: string): [Uint8Array, ...Uint8Array[]] {
  const derived = readEncryptionKeys(settings).all.map(
    ({ bytes }) => new Uint8Array(hkdfSync('sha256', bytes, '', purpose, KEY_BYTES)),
  );
  return derived as [Uint8Array, ...Uint8Array[]];
}
