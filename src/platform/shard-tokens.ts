import { isShard, randomAlphanumeric, randomToken } from './ids.ts';

/* Random texts that contain their shard, so that opening a link or sending a key needs no lookup in the directory. */

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Characters of a token: three for the shard and 22 with 128 random bits. Older tokens have only the 22. */
export const TOKEN_CHARS = 25;
export const OLD_TOKEN_CHARS = 22;

/** Creates a token for a link in the shard. */
export function tokenIn(shard: number): string {
  return tokenOf(shard, randomToken());
}

/** Returns the token for a link in the shard with this secret of 22 characters. */
export function tokenOf(shard: number, secret: string): string {
  const digits = [shard >> 12, (shard >> 6) & 63, shard & 63];
  return digits.map((digit) => BASE64URL[digit]).join('') + secret;
}

/** Returns the shard in a token; 0 for older tokens and other texts. */
export function shardOfToken(token: string): number {
  if (token.length !== TOKEN_CHARS) return 0;
  const [high, middle, low] = [...token.slice(0, 3)].map((char) => BASE64URL.indexOf(char));
  return shardOr0((high! << 12) | (middle! << 6) | low!);
}

/** Returns whether a text has the form of a token. */
export function isToken(text: string): boolean {
  return /^(?:[\w-]{25}|[\w-]{22})$/.test(text);
}

/** Four characters of base 62 can hold 225 times as many numbers as there are shards. */
const CODE_CHARS = 4;
const CODES_PER_SHARD = 225;
/** Check value. One in 225 older keys, whose characters are random, matches it by chance. */
const CHECK = 113;

/** Returns `length` letters and digits. The first four contain the shard; the others are random. */
export function alphanumericIn(shard: number, length: number): string {
  const code = shard * CODES_PER_SHARD + CHECK;
  const digits = Array.from({ length: CODE_CHARS }, (_, at) => Math.floor(code / 62 ** (CODE_CHARS - 1 - at)) % 62);
  return digits.map((digit) => BASE62[digit]).join('') + randomAlphanumeric(length - CODE_CHARS);
}

/** Returns the shard in such a text. An older text may seem to contain a shard, but belongs to the first. */
export function shardOfAlphanumeric(text: string): number {
  const code = [...text.slice(0, CODE_CHARS)].reduce((sum, char) => sum * 62 + BASE62.indexOf(char), 0);
  return code % CODES_PER_SHARD === CHECK ? shardOr0((code - CHECK) / CODES_PER_SHARD) : 0;
}

function shardOr0(number: number): number {
  return isShard(number) ? number : 0;
}
