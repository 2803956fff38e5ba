/*
 * Reads ASN.1 in BER (ITU-T X.690), the encoding of uploaded key files. BER allows indefinite lengths and octet strings
 * in several pieces.
 */

/** A value: its members or its content. */
export interface Asn1 {
  /** Class, form and number in one octet. Multi-octet numbers aren't supported. */
  tag: number;
  /** Members of a constructed value. */
  members: Asn1[];
  /** Content of a primitive value. */
  content: Uint8Array;
}

const CONSTRUCTED = 0x20;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const INTEGER = 0x02;
/** Key files nest about a dozen levels. */
const DEPTH_MAX = 40;

/** Reads `bytes` as exactly one value. Throws for anything else. */
export function readAsn1(bytes: Uint8Array): Asn1 {
  const { value, end } = readValue(bytes, 0, 0);
  if (end !== bytes.length) throw new Error('octets behind the ASN.1 value');
  return value;
}

interface Reading {
  value: Asn1;
  end: number;
}

function readValue(bytes: Uint8Array, at: number, depth: number): Reading {
  const tag = octetAt(bytes, at);
  if ((tag & 0x1f) === 0x1f || depth > DEPTH_MAX) throw new Error('ASN.1 beyond what is read here');
  const { length, start } = readLength(bytes, at + 1);
  if (length === undefined) {
    if (!(tag & CONSTRUCTED)) throw new Error('an open length of a primitive ASN.1 value');
    return readMembers(bytes, tag, start, undefined, depth);
  }
  const end = start + length;
  if (!(end <= bytes.length)) throw new Error('truncated ASN.1 value');
  if (tag & CONSTRUCTED) return readMembers(bytes, tag, start, end, depth);
  return { value: { tag, members: [], content: bytes.subarray(start, end) }, end };
}

/** Reads members up to `end`, or up to the end-of-contents octets of an indefinite length. */
function readMembers(bytes: Uint8Array, tag: number, start: number, end: number | undefined, depth: number): Reading {
  const members: Asn1[] = [];
  let at = start;
  while (end === undefined ? octetAt(bytes, at) !== 0 : at < end) {
    const member = readValue(bytes, at, depth + 1);
    members.push(member.value);
    at = member.end;
  }
  if (end === undefined && octetAt(bytes, at + 1) !== 0) throw new Error('a wrong mark behind an ASN.1 value');
  if (end !== undefined && at !== end) throw new Error('an ASN.1 value goes beyond its parent');
  return { value: { tag, members, content: new Uint8Array() }, end: end ?? at + 2 };
}

function readLength(bytes: Uint8Array, at: number): { length: number | undefined; start: number } {
  const first = octetAt(bytes, at);
  if (first < 0x80) return { length: first, start: at + 1 };
  const count = first & 0x7f;
  if (count === 0) return { length: undefined, start: at + 1 };
  let length = 0;
  for (let i = 1; i <= count; i++) length = length * 256 + octetAt(bytes, at + i);
  return { length, start: at + 1 + count };
}

function octetAt(bytes: Uint8Array, at: number): number {
  const octet = bytes[at];
  if (octet === undefined) throw new Error('truncated ASN.1 value');
  return octet;
}

/** Encodes a value in DER. */
export function writeDer({ tag, members, content }: Asn1): Uint8Array<ArrayBuffer> {
  return der(tag, content, ...members.map(writeDer));
}

/** Returns the member at an index. Throws if there is none. */
export function memberOf({ members }: Asn1, index: number): Asn1 {
  const member = members[index];
  if (!member) throw new Error('an ASN.1 value lacks a member');
  return member;
}

/**
 * Returns the octets of an octet string in one or more pieces, also under a context-specific tag. Throws for anything
 * else.
 */
export function octetsOf({ tag, members, content }: Asn1): Uint8Array {
  const isTagged = (tag & 0xc0) === 0x80;
  if (!isTagged && (tag & ~CONSTRUCTED) !== OCTET_STRING) throw new Error('no octet string');
  return tag & CONSTRUCTED ? concat(...members.map(octetsOf)) : content;
}

/** Returns the dotted form of an object identifier. Throws for anything else. */
export function identifierOf({ tag, content }: Asn1): string {
  if (tag !== OBJECT_IDENTIFIER) throw new Error('no object identifier');
  const [first = 0, ...arcs] = arcsOf(content);
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...arcs].join('.');
}

function arcsOf(octets: Uint8Array): number[] {
  const arcs: number[] = [];
  let arc = 0;
  for (const octet of octets) {
    arc = arc * 128 + (octet & 0x7f);
    if (octet & 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  return arcs;
}

export const isInteger = ({ tag }: Asn1) => tag === INTEGER;

/** Reads an integer as unsigned; a large one only approximately. Throws for anything else. */
export function integerOf(value: Asn1): number {
  if (!isInteger(value)) throw new Error('no integer');
  return value.content.reduce((sum, octet) => sum * 256 + octet, 0);
}

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
