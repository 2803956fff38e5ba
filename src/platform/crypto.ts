import { hash, timingSafeEqual } from 'node:crypto';

const encoder = new TextEncoder();

/** Returns the SHA-256 of a text (as UTF-8) or bytes in lowercase hexadecimal. */
export async function sha256(data: string | Uint8Array<ArrayBuffer> | ArrayBuffer): Promise<string> {
  return hash('sha256', data instanceof ArrayBuffer ? new Uint8Array(data) : data);
}

/** Returns whether two texts are equal. The duration doesn't reveal where they differ. */
export function constantTimeEqual(a: string, b: string): boolean {
  const left = encoder.encode(a);
  const right = encoder.encode(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Decodes base64 or base64url, with or without padding. Throws on other characters, which `Buffer` ignores. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  // `Uint8Array.from` first creates a list of characters. For an image of 5 MiB, that exceeds an isolate's memory.
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Encodes bytes of any length as base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
