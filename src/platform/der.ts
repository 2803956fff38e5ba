/* The parts of DER (ITU-T X.690) that CMS signatures and certificate requests need. */

export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** `[0]`, constructed. */
  context0: 0xa0,
} as const;

/** Encodes a value: tag, length, then the concatenated parts. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return concat(...derParts(tag, parts));
}

/** Like `der`, but returns the parts unjoined, so that nested values copy their bytes only once. */
export function derParts(tag: number, parts: readonly Uint8Array[]): Uint8Array[] {
  const content = parts.reduce((sum, part) => sum + part.length, 0);
  return [Uint8Array.of(tag, ...lengthOctets(content)), ...parts];
}

/** Concatenates the parts. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Encodes a length: short form below 128, otherwise the number of length octets, then the octets (X.690 §8.1.3). */
function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) octets.unshift(rest & 0xff);
  return [0x80 | octets.length, ...octets];
}

/** Encodes an object identifier from its dotted form. */
export function objectIdentifier(dotted: string): Uint8Array<ArrayBuffer> {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const octets: number[] = [];
  for (const arc of [first * 40 + second, ...rest]) {
    const digits = [arc & 0x7f];
    for (let more = arc >>> 7; more > 0; more >>>= 7) digits.unshift(0x80 | (more & 0x7f));
    octets.push(...digits);
  }
  return der(TAG.objectIdentifier, Uint8Array.from(octets));
}

/** Encodes big-endian bytes of any length as a non-negative integer. */
export function unsignedInteger(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  // A leading 1 bit would make it negative.
  const sign = (digits[0] ?? 0) & 0x80 ? Uint8Array.of(0) : new Uint8Array();
  return der(TAG.integer, sign, digits);
}

/** A value within encoded bytes: `whole` includes its tag and length, `content` doesn't. */
export interface DerValue {
  tag: number;
  whole: Uint8Array;
  content: Uint8Array;
}

/** Reads the consecutive values in `bytes`. Throws if a length exceeds the end. */
export function derValues(bytes: Uint8Array): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    let length = bytes[at + 1] ?? Number.NaN;
    let content = at + 2;
    if (length >= 0x80) {
      const count = length & 0x7f;
      length = 0;
      for (let i = 0; i < count; i++) length = length * 256 + (bytes[content++] ?? Number.NaN);
    }
    const end = content + length;
    if (!(end <= bytes.length)) throw new Error('truncated DER value');
    values.push({
      tag: bytes[at] ?? 0,
      whole: bytes.subarray(at, end),
      content: bytes.subarray(content, end),
    });
    at = end;
  }
  return values;
}
