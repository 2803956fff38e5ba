import { timingSafeEqual } from 'node:crypto';
import { hex } from './ids.ts';

const encoder = new TextEncoder();

/** SHA-256 of a text (as UTF-8) or bytes, in lower-case hexadecimal. */
export async function sha256(data: string | Uint8Array<ArrayBuffer> | ArrayBuffer): Promise<string> {
  const bytes = typeof data === 'string' ? encoder.encode(data) : data;
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/** Whether two texts are equal, in a time that does not tell where they differ. */
export function constantTimeEqual(a: string, b: string): boolean {
  const left = encoder.encode(a);
  const right = encoder.encode(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Decodes base64 (also base64url, with or without padding); throws on other characters. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
}

/** Base64 text (with padding) of bytes of any length. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

const FORMAT = 'v1';

async function aesKey(secret: string): Promise<CryptoKey> {
  const bytes = secret ? fromBase64(secret) : new Uint8Array();
  if (bytes.length !== 32) throw new Error('ENCRYPTION_KEY must be 32 bytes in base64');
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

/**
 * Encrypts a text at rest with AES-256-GCM under the secret ENCRYPTION_KEY. `owner` (the row's identifier) is authenticated
 * with it, so that a ciphertext copied to another row does not decrypt.
 */
export async function encrypt(secret: string, owner: string, plain: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const additionalData = encoder.encode(owner);
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv, additionalData },
    await aesKey(secret),
    encoder.encode(plain),
  );
  return [FORMAT, toBase64(iv), toBase64(new Uint8Array(sealed))].join('.');
}

/** Reverses `encrypt`; throws when the text was changed, or belongs to another owner or key. */
export async function decrypt(secret: string, owner: string, sealed: string): Promise<string> {
  const [format, iv, body] = sealed.split('.');
  if (format !== FORMAT || !iv || !body) throw new Error('unknown format of an encrypted value');
  const additionalData = encoder.encode(owner);
  const plain = await crypto.subtle.decrypt(
    { name: 'AES-GCM', iv: fromBase64(iv), additionalData },
    await aesKey(secret),
    fromBase64(body),
  );
  return new TextDecoder().decode(plain);
}
