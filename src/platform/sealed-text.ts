import { fromBase64, toBase64 } from './crypto.ts';
import { type EncryptionKey, type KeySettings, PLAIN_KEY_ID, readEncryptionKeys } from './encryption-keys.ts';

const encoder = new TextEncoder();
const IV_BYTES = 12;
/** `v1.<iv>.<body>` names no key; `v2.<key>.<iv>.<body>` does. */
const [UNNAMED, NAMED] = ['v1', 'v2'];

/** The beginning of all values that the current key seals. */
export function sealedPrefix(settings: KeySettings): string {
  const { current, areNamed } = readEncryptionKeys(settings);
  return areNamed ? `${NAMED}.${current.id}.` : `${UNNAMED}.`;
}

/**
 * Encrypts a text at rest with AES-256-GCM under the current key. `owner` (the row's identifier) is authenticated with
 * it, so that a ciphertext copied to another row does not decrypt.
 */
export async function encrypt(settings: KeySettings, owner: string, plain: string): Promise<string> {
  const { current } = readEncryptionKeys(settings);
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const algorithm = { name: 'AES-GCM', iv, additionalData: encoder.encode(owner) };
  const sealed = await crypto.subtle.encrypt(algorithm, await aesKey(current), encoder.encode(plain));
  return `${sealedPrefix(settings)}${toBase64(iv)}.${toBase64(new Uint8Array(sealed))}`;
}

/**
 * Reverses `encrypt` with whichever key sealed the text; throws when the text was changed, or belongs to another owner
 * or to a key that is not set.
 */
export async function decrypt(settings: KeySettings, owner: string, sealed: string): Promise<string> {
  const parts = sealed.split('.');
  const [format, id] = parts;
  const [iv, body] = parts.slice(format === NAMED ? 2 : 1);
  if ((format !== NAMED && format !== UNNAMED) || !iv || !body) throw new Error('unknown format of an encrypted value');
  const algorithm = { name: 'AES-GCM', iv: fromBase64(iv), additionalData: encoder.encode(owner) };
  let failure: unknown;
  for (const key of format === NAMED ? [keyNamed(settings, id!)] : keysForUnnamed(settings)) {
    try {
      const plain = await crypto.subtle.decrypt(algorithm, await aesKey(key), fromBase64(body));
      return new TextDecoder().decode(plain);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function keyNamed(settings: KeySettings, id: string): EncryptionKey {
  const key = readEncryptionKeys(settings).all.find((one) => one.id === id);
  if (!key) throw new Error(`a value is encrypted with the key ${id}, which is not in ENCRYPTION_KEYS`);
  return key;
}

/** The key that had no name stands first; an operator may have given it another one since. */
function keysForUnnamed(settings: KeySettings): EncryptionKey[] {
  const { all } = readEncryptionKeys(settings);
  const isPlain = ({ id }: EncryptionKey) => id === PLAIN_KEY_ID;
  return [...all.filter(isPlain), ...all.filter((key) => !isPlain(key))];
}

const imported = new WeakMap<EncryptionKey, Promise<CryptoKey>>();

function aesKey(key: EncryptionKey): Promise<CryptoKey> {
  const held = imported.get(key);
  if (held) return held;
  const importing = crypto.subtle.importKey('raw', key.bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
  imported.set(key, importing);
  return importing;
}
