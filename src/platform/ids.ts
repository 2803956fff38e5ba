/** Lower-case UUID, any version. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const UUID_ANY_CASE = new RegExp(UUID_PATTERN.source, 'i');

/** Whether a text is a UUID, in whatever case. */
export function isUuid(text: string): boolean {
  return UUID_ANY_CASE.test(text);
}

/** A UUID as identifiers are stored: in lower case. Any other text stays as it is. */
export function lowerUuid(text: string): string {
  return isUuid(text) ? text.toLowerCase() : text;
}

/** 32 symbols that people do not confuse (Crockford's base 32). */
const READABLE = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

let lastMillis = 0;
let sequence = 0;

/**
 * UUID version 7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, then a 12-bit counter that keeps the identifiers of one
 * isolate in order of creation, then random bits. The end is the shard (`shardOf`), which names the row's database.
 */
export function uuidv7(shard = 0, now = Date.now()): string {
  if (now > lastMillis) {
    lastMillis = now;
    sequence = 0;
  } else if (++sequence > 0xfff) {
    // The counter is spent within one millisecond: borrow the next one (RFC 9562 §6.2).
    lastMillis += 1;
    sequence = 0;
  }
  return uuidOf({ millis: lastMillis, counter: sequence, random: crypto.getRandomValues(new Uint8Array(7)), shard });
}

interface UuidParts {
  millis: number;
  /** Twelve bits. */
  counter: number;
  /** Seven bytes or more. */
  random: Uint8Array;
  shard: number;
}

function uuidOf({ millis, counter, random, shard }: UuidParts): string {
  const time = millis.toString(16).padStart(12, '0');
  const bytes = random.slice(0, 7);
  bytes[0] = 0x80 | (bytes[0]! & 0x3f);
  const tail = hex(bytes.subarray(0, 6)) + (shard === 0 ? `${hex(bytes.subarray(6))}00` : hexOfShard(shard));
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/** The largest shard. None but shard 0 has a low byte of 0: identifiers of before the others end in `00`. */
export const SHARD_MAX = 0xffff;

/** Whether a number is a shard. */
export function isShard(number: number): boolean {
  return number === 0 || (Number.isInteger(number) && number > 0 && number <= SHARD_MAX && (number & 0xff) !== 0);
}

function hexOfShard(shard: number): string {
  if (!isShard(shard)) throw new RangeError(`${shard} is no shard`);
  return shard.toString(16).padStart(4, '0');
}

/**
 * UUID version 7 whose random bits come from a hash: the same seed always gives the same one. `seed` has at least 7
 * bytes, `millis` is the time it names, in Unix milliseconds, and `ordinal` keeps those of one list in order.
 */
export function seededUuid(
  seed: Uint8Array,
  { shard, millis, ordinal }: Record<'shard' | 'millis' | 'ordinal', number>,
) {
  return uuidOf({ millis: millis + Math.floor(ordinal / 0x1000), counter: ordinal % 0x1000, random: seed, shard });
}

/**
 * Smallest identifier that can have been made at or after `millis`; for ranges over identifiers in place of a time
 * column.
 */
export function firstUuidAt(millis: number): string {
  const time = Math.max(0, Math.floor(millis)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** When a UUID of this service was made, in Unix milliseconds. */
export function timeOf(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

/**
 * The shard that a UUID of this service names: its last two bytes, or 0 where the last one is 0, because identifiers of
 * before have a random byte in front of it. A UUID of somebody else names any.
 */
export function shardOf(uuid: string): number {
  return uuid.endsWith('00') ? 0 : Number.parseInt(uuid.slice(-4), 16) || 0;
}

/** Secret with 128 random bits, 22 characters of base64url; `bytes` for more. */
export function randomToken(bytes = 16): string {
  return base64url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** A random whole number below 2^32. */
export function randomUint32(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]!;
}

/** `length` random letters and digits of base 62, without bias. */
export function randomAlphanumeric(length: number): string {
  return randomOf(BASE62, length);
}

/** Identifier that people read aloud and type: 16 symbols of base 32, 80 random bits. */
export function readableId(): string {
  return randomOf(READABLE, 16);
}

function randomOf(alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length);
  let out = '';
  while (out.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      if (byte < limit && out.length < length) out += alphabet[byte % alphabet.length];
    }
  }
  return out;
}

/** Lower-case hexadecimal text of bytes. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Base64url text (RFC 4648 §5, no padding) of bytes. */
export function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
