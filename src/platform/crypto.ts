import { hash, timingSafeEqual } from 'node:crypto';

const encoder = new TextEncoder();

/** SHA-256 of a text (as UTF-8) or bytes, in lower-case hexadecimal. */
export async function sha256(data: string | Uint8Array<ArrayBuffer> | ArrayBuffer): Promise<string> {
  return hash('sha256', data instanceof ArrayBuffer ? new Uint8Array(data) : data);
}

/** Whether two texts are equal, in a time that does not tell where they differ. */
export function constantTimeEqual(a: string, b: string): boolean {
  const left = encoder.encode(a);
  const right = encoder.encode(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Decodes base64 (also base64url, with or without padding); throws on other characters, which `Buffer` skips. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  // `Uint8Array.from` makes a list of characters first, which of an image of 5 MiB takes more than an isolate has.
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Base64 text (with padding) of bytes of any length. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
