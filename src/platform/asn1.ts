import { concat, der } from './der.ts';

/*
 * Reads ASN.1 in BER (ITU-T X.690), which other people's files are in: lengths may be left open, and texts of octets
 * may come in pieces.
 */

/** A value: what it is made of, or its content. */
export interface Asn1 {
  /** Class, form and number in one octet; numbers of more are not read. */
  tag: number;
  /** Of a constructed value. */
  members: Asn1[];
  /** Of any other. */
  content: Uint8Array;
}

const CONSTRUCTED = 0x20;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const INTEGER = 0x02;
/** Key files nest a dozen. */
const DEPTH_MAX = 40;

/** The one value that `bytes` are. Throws for anything else. */
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

/** Members up to `end`, or up to the mark that ends an open length. */
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

/** The value in DER. */
export function writeDer({ tag, members, content }: Asn1): Uint8Array<ArrayBuffer> {
  return der(tag, content, ...members.map(writeDer));
}

/** The member with a number. Throws when there is none. */
export function memberOf({ members }: Asn1, index: number): Asn1 {
  const member = members[index];
  if (!member) throw new Error('an ASN.1 value lacks a member');
  return member;
}

/** The octets of an octet string, of one piece or many, also under a tag of its context. Throws for anything else. */
export function octetsOf({ tag, members, content }: Asn1): Uint8Array {
  const isTagged = (tag & 0xc0) === 0x80;
  if (!isTagged && (tag & ~CONSTRUCTED) !== OCTET_STRING) throw new Error('no octet string');
  return tag & CONSTRUCTED ? concat(...members.map(octetsOf)) : content;
}

/** The dotted form of an object identifier. Throws for anything else. */
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

/** An integer, as if it had no sign; a large one only approximately. Throws for anything else. */
export function integerOf(value: Asn1): number {
  if (!isInteger(value)) throw new Error('no integer');
  return value.content.reduce((sum, octet) => sum * 256 + octet, 0);
}
