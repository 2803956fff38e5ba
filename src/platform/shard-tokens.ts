import { isShard, randomAlphanumeric, randomToken } from './ids.ts';

/*
 * Random texts that name the shard in which they are found: whoever opens a link or sends a key needs no directory.
 */

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Characters of a token: three of the shard and 22 with 128 random bits. Tokens of before have those alone. */
export const TOKEN_CHARS = 25;
export const OLD_TOKEN_CHARS = 22;

/** A token for a link of the shard. */
export function tokenIn(shard: number): string {
  return tokenOf(shard, randomToken());
}

/** The token for a link of the shard that ends in this secret of 22 characters. */
export function tokenOf(shard: number, secret: string): string {
  const digits = [shard >> 12, (shard >> 6) & 63, shard & 63];
  return digits.map((digit) => BASE64URL[digit]).join('') + secret;
}

/** The shard that a token names; one of before, or no token, is looked for in the first. */
export function shardOfToken(token: string): number {
  if (token.length !== TOKEN_CHARS) return 0;
  const [high, middle, low] = [...token.slice(0, 3)].map((char) => BASE64URL.indexOf(char));
  return shardOr0((high! << 12) | (middle! << 6) | low!);
}

/** Whether a text has the form of a token. */
export function isToken(text: string): boolean {
  return /^(?:[\w-]{25}|[\w-]{22})$/.test(text);
}

/** Four characters of base 62 hold 225 times as many numbers as there are shards. */
const CODE_CHARS = 4;
const CODES_PER_SHARD = 225;
/** Of the keys of before, whose characters are random, one in 225 seems to name a shard. */
const CHECK = 113;

/** `length` letters and digits that name a shard with the first four; the others are random. */
export function alphanumericIn(shard: number, length: number): string {
  const code = shard * CODES_PER_SHARD + CHECK;
  const digits = Array.from({ length: CODE_CHARS }, (_, at) => Math.floor(code / 62 ** (CODE_CHARS - 1 - at)) % 62);
  return digits.map((digit) => BASE62[digit]).join('') + randomAlphanumeric(length - CODE_CHARS);
}

/** The shard that such a text names. One of before the shards is in the first, whatever it seems to name. */
export function shardOfAlphanumeric(text: string): number {
  const code = [...text.slice(0, CODE_CHARS)].reduce((sum, char) => sum * 62 + BASE62.indexOf(char), 0);
  return code % CODES_PER_SHARD === CHECK ? shardOr0((code - CHECK) / CODES_PER_SHARD) : 0;
}

function shardOr0(number: number): number {
  return isShard(number) ? number : 0;
}
