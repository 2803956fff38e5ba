/*
 * Time-based one-time codes (RFC 6238 with HMAC-SHA-1) without the HMAC, which the Worker and browsers compute in
 * different ways. Therefore this file imports nothing.
 */

/** Parameters of one-time codes. */
export interface CodeTerms {
  periodSeconds: number;
  digits: number;
}

/** Returns the number of the period that contains a time (UTC milliseconds), counted from 1970. */
export function periodAt(millis: number, { periodSeconds }: Pick<CodeTerms, 'periodSeconds'>): number {
  return Math.floor(millis / 1_000 / periodSeconds);
}

/** Returns the HMAC input of a period: its number in eight bytes, big-endian (RFC 4226 §5.1). */
export function counterBytes(period: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(period));
  return bytes;
}

/** Returns the code for an HMAC of 20 bytes (RFC 4226 §5.3). */
export function codeOf(hmac: Uint8Array, { digits }: Pick<CodeTerms, 'digits'>): string {
  const offset = hmac[hmac.length - 1]! & 0x0f;
  const number = new DataView(hmac.buffer, hmac.byteOffset).getUint32(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}
