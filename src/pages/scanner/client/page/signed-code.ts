/*
 * Verifies offline whether the account has signed a code. A signed code ends with a signature over the text before it.
 */

/** `none`: the code has no signature, or this browser can't verify one. */
export type Signature = 'none' | 'genuine' | 'forged';

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };
const SCHEME = { name: 'ECDSA', hash: 'SHA-256' };
/** Bytes of a coordinate on the curve. */
const NUMBER_BYTES = 32;
/** A DER signature has two numbers of at most 33 bytes with two header bytes each, and two header bytes in front. */
const SIGNATURE_BYTES_MAX = 72;
const SIGNATURE_BYTES_MIN = 8;

/** A one-time code after the signed value. */
const ONE_TIME_CODE = /\.\d{6,8}$/;

/** Verifies a code. `publicKeys`: SubjectPublicKeyInfo in base64. Without https, there is no Web Crypto. */
export async function checkSignature(value: string, publicKeys: string[]): Promise<Signature> {
  if (!crypto.subtle) return 'none';
  const signed = [value, value.replace(ONE_TIME_CODE, '')].flatMap(splitsOf);
  if (signed.length === 0) return 'none';
  const keys = await Promise.all(publicKeys.map(keyOf));
  for (const { text, signature } of signed) {
    for (const key of keys) if (await crypto.subtle.verify(SCHEME, key, signature, text)) return 'genuine';
  }
  return 'forged';
}

/** Returns the possible splits of a code into text and signature, usually one or none. */
function splitsOf(value: string): { text: Uint8Array<ArrayBuffer>; signature: Uint8Array<ArrayBuffer> }[] {
  const splits = [];
  for (let bytes = SIGNATURE_BYTES_MIN; bytes <= SIGNATURE_BYTES_MAX && bytes * 2 < value.length; bytes++) {
    const hex = value.slice(-bytes * 2);
    const signature = /^30[0-9a-f]+$/.test(hex) ? rawSignature(bytesOf(hex)) : undefined;
    const text = value.slice(0, -bytes * 2);
    if (signature) splits.push({ text: Uint8Array.from(new TextEncoder().encode(text)), signature });
  }
  return splits;
}

/** Returns the two numbers of a DER signature in raw form; undefined if it is invalid. */
function rawSignature(der: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  const raw = new Uint8Array(2 * NUMBER_BYTES);
  let at = 2;
  for (const end of [NUMBER_BYTES, 2 * NUMBER_BYTES]) {
    const length = der[at + 1] ?? 0;
    if (der[at] !== 0x02 || length === 0 || length > NUMBER_BYTES + 1) return undefined;
    const number = der.subarray(at + 2, at + 2 + length);
    const digits = number[0] === 0 ? number.subarray(1) : number;
    if (number.length < length || digits.length > NUMBER_BYTES) return undefined;
    raw.set(digits, end - digits.length);
    at += 2 + length;
  }
  return at === der.length ? raw : undefined;
}

function keyOf(publicKey: string): Promise<CryptoKey> {
  const bytes = Uint8Array.from(atob(publicKey), (character) => character.charCodeAt(0));
  return crypto.subtle.importKey('spki', bytes, CURVE, false, ['verify']);
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
