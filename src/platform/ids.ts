/** Lowercase UUID of any version. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const UUID_ANY_CASE = new RegExp(UUID_PATTERN.source, 'i');

/** Returns whether a text is a UUID in upper or lower case. */
export function isUuid(text: string): boolean {
  return UUID_ANY_CASE.test(text);
}

/** Returns a UUID in lowercase, as identifiers are stored. Leaves any other text unchanged. */
export function lowerUuid(text: string): string {
  return isUuid(text) ? text.toLowerCase() : text;
}

/** 32 symbols that people do not confuse (Crockford's base 32). */
const READABLE = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

let lastMillis = 0;
let sequence = 0;

/**
 * Creates a UUID version 7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, a 12-bit counter that keeps an isolate's IDs
 * in order of creation, then random bits. It ends with the shard (`shardOf`), which identifies the row's database.
 */
export function uuidv7(shard = 0, now = Date.now()): string {
  if (now > lastMillis) {
    lastMillis = now;
    sequence = 0;
  } else if (++sequence > 0xfff) {
    // The counter is exhausted within one millisecond: borrow the next one (RFC 9562 §6.2).
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

/** The largest shard. Only shard 0 has a low byte of 0, because IDs from before there were shards end with `00`. */
export const SHARD_MAX = 0xffff;

/** Returns whether a number is a shard. */
export function isShard(number: number): boolean {
  return number === 0 || (Number.isInteger(number) && number > 0 && number <= SHARD_MAX && (number & 0xff) !== 0);
}

function hexOfShard(shard: number): string {
  if (!isShard(shard)) throw new RangeError(`${shard} is no shard`);
  return shard.toString(16).padStart(4, '0');
}

/**
 * Returns a UUID version 7 with bits of a hash instead of random bits: the same seed gives the same UUID. `seed` has at
 * least 7 bytes, `millis` is its time in Unix milliseconds, and `ordinal` keeps the IDs of a list in order.
 */
export function seededUuid(
  seed: Uint8Array,
  { shard, millis, ordinal }: Record<'shard' | 'millis' | 'ordinal', number>,
) {
  return uuidOf({ millis: millis + Math.floor(ordinal / 0x1000), counter: ordinal % 0x1000, random: seed, shard });
}

/** Returns the smallest ID that can have been created at or after `millis`, for ID ranges instead of a time column. */
export function firstUuidAt(millis: number): string {
  const time = Math.max(0, Math.floor(millis)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** Returns the time at which this service created a UUID, in Unix milliseconds. */
export function timeOf(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

/**
 * Returns the shard in a UUID of this service: its last two bytes, or 0 if the last byte is 0, because older IDs have a
 * random byte before it. The result for any other UUID is arbitrary.
 */
export function shardOf(uuid: string): number {
  return uuid.endsWith('00') ? 0 : Number.parseInt(uuid.slice(-4), 16) || 0;
}

/** Creates a secret with 128 random bits, 22 characters of base64url; `bytes` for more. */
export function randomToken(bytes = 16): string {
  return base64url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** Returns a random integer below 2^32. */
export function randomUint32(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]!;
}

/** Returns `length` random letters and digits of base 62, without bias. */
export function randomAlphanumeric(length: number): string {
  return randomOf(BASE62, length);
}

/** Creates an identifier that people can read aloud and type: 16 symbols of base 32, 80 random bits. */
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

/** Encodes bytes in lowercase hexadecimal. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Encodes bytes as base64url (RFC 4648 §5, no padding). */
export function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
