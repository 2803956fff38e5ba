/*
 * One-time codes by the clock (RFC 6238 with HMAC-SHA-1), without the HMAC itself: the Worker and browsers compute that
 * in ways of their own. So this file imports nothing.
 */

/** How codes are made. */
export interface CodeTerms {
  periodSeconds: number;
  digits: number;
}

/** The number of the period that a time (UTC milliseconds) lies in, counted from 1970. */
export function periodAt(millis: number, { periodSeconds }: Pick<CodeTerms, 'periodSeconds'>): number {
  return Math.floor(millis / 1_000 / periodSeconds);
}

/** The input of a period's HMAC: its number in eight bytes, the greatest first (RFC 4226 §5.1). */
export function counterBytes(period: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(period));
  return bytes;
}

/** The code that an HMAC of 20 bytes comes to (RFC 4226 §5.3). */
export function codeOf(hmac: Uint8Array, { digits }: Pick<CodeTerms, 'digits'>): string {
  const offset = hmac[hmac.length - 1]! & 0x0f;
  const number = new DataView(hmac.buffer, hmac.byteOffset).getUint32(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}
