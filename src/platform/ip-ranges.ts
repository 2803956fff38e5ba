/** A range of addresses with a common prefix. An IPv4 address mapped into IPv6 (`::ffff:192.0.2.1`) counts as IPv4. */
interface IpRange {
  family: 4 | 6;
  value: bigint;
  /** Length of the prefix in bits. */
  prefix: number;
}

const BITS = { 4: 32, 6: 128 } as const;
const GROUPS = 8;
/** The IPv6 prefix of mapped IPv4 addresses (RFC 4291 §2.5.5.2). */
const MAPPED = 0xffffn;
const MAPPED_BITS = 96;

/** Parses an IPv4 or IPv6 address or CIDR range; undefined for anything else. */
function parseRange(text: string): IpRange | undefined {
  const [, address = '', length] = /^([0-9a-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(text.trim()) ?? [];
  const family = address.includes(':') ? 6 : 4;
  const value = family === 6 ? parseV6(address) : parseV4(address);
  const prefix = length === undefined ? BITS[family] : Number(length);
  if (value === undefined || prefix > BITS[family]) return undefined;
  const isMapped = family === 6 && prefix >= MAPPED_BITS && value >> 32n === MAPPED;
  return isMapped ? { family: 4, value: value & 0xffffffffn, prefix: prefix - MAPPED_BITS } : { family, value, prefix };
}

function parseV4(text: string): bigint | undefined {
  const bytes = text.split('.');
  const isByte = (byte: string) => /^(0|[1-9]\d{0,2})$/.test(byte) && Number(byte) <= 255;
  if (bytes.length !== 4 || !bytes.every(isByte)) return undefined;
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function parseV6(text: string): bigint | undefined {
  const [head = '', tail, ...more] = text.split('::');
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = GROUPS - first.length - last.length;
  if (more.length > 0 || (tail === undefined ? zeros !== 0 : zeros < 1)) return undefined;
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

/** Returns the groups of a part of an IPv6 address, which may end with an IPv4 address. */
function groupsOf(text: string): string[] {
  if (text === '') return [];
  const groups = text.split(':');
  const v4 = groups.at(-1)!.includes('.') ? parseV4(groups.at(-1)!) : undefined;
  if (v4 === undefined) return groups;
  return [...groups.slice(0, -1), (v4 >> 16n).toString(16), (v4 & 0xffffn).toString(16)];
}

/** Returns whether a text is an IPv4 or IPv6 address or a CIDR range. */
export function isIpRange(text: string): boolean {
  return parseRange(text) !== undefined;
}

/** Returns whether `outer` contains all addresses of `inner`. Both are addresses or ranges; false for other texts. */
export function includesRange(outer: string, inner: string): boolean {
  const [wide, narrow] = [parseRange(outer), parseRange(inner)];
  if (!wide || !narrow || wide.family !== narrow.family || wide.prefix > narrow.prefix) return false;
  const rest = BigInt(BITS[wide.family] - wide.prefix);
  return wide.value >> rest === narrow.value >> rest;
}
