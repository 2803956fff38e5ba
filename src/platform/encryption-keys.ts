import { hkdfSync } from 'node:crypto';
import { fromBase64 } from './crypto.ts';
import type { Env } from './env.ts';

/** Settings that hold the keys. */
export type KeySettings = Pick<Env, 'ENCRYPTION_KEY' | 'ENCRYPTION_KEYS'>;

/** A key for encryption at rest. */
export interface EncryptionKey {
  id: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The encryption keys of the service. */
export interface EncryptionKeys {
  /** Key that encrypts; the first one of `all`. */
  current: EncryptionKey;
  all: EncryptionKey[];
  /**
   * Whether sealed values name their key. With ENCRYPTION_KEY alone they don't, so that earlier releases can open them.
   */
  areNamed: boolean;
}

/** Identifier of ENCRYPTION_KEY. */
export const PLAIN_KEY_ID = '1';

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
    else if (!areEqual(same.bytes, key.bytes)) {
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

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.every((byte, i) => byte === b[i]);
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
