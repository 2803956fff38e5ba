/** Digits of pi that the key expansion uses (RFC 2268 §2). */
const PI = Buffer.from(
  '2Xj5xBndte0o6f15SqDYncZ+N4MrdlOOYkxkiESL+6IXmln1h7NPE2FFbY0JgX0yvY9A64a3ewvwlSEiXGtOglTWZZPOYLIcc1bAFKeM8dwSdcofO77k' +
    '0UI91DCjPLYmb78O2kZpB1cn8h2bvJRDA/gRx/aQ7z7nBsPVL8hmHtcI6OregFLu94Sqcqw1TWoqlhrScVoVSXRLn9BeBBik7MLgQW4PUcvMJJGv' +
    'UKH0cDmZfDqFI7i0evwCNlslVZcxLV36mOOKkq4F3ykQZ2y6ydMA5s/hnqgsYxYBP1jiiakNODQbqzP/sLtIDF+5sc0uxfPbR+WlnHcKpiBo/n/B' +
    'rQ==',
  'base64',
);
const BLOCK_BYTES = 8;
/** Bits by which each of a block's four words is rotated in a round. */
const TURNS = [1, 2, 3, 5];

/**
 * Decrypts RC2 in CBC mode from old programs, which Node no longer supports. All bits of the key are effective. Throws
 * if the padding is wrong.
 */
export function decryptRc2(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array {
  if (data.length === 0 || data.length % BLOCK_BYTES !== 0) throw new Error('RC2: no whole number of blocks');
  const words = expandedKey(key);
  const out = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += BLOCK_BYTES) {
    const block = decryptBlock(words, data.subarray(at, at + BLOCK_BYTES));
    const before = at === 0 ? iv : data.subarray(at - BLOCK_BYTES, at);
    for (let i = 0; i < BLOCK_BYTES; i++) out[at + i] = block[i]! ^ before[i]!;
  }
  const padding = out.at(-1)!;
  const end = out.length - padding;
  if (padding < 1 || padding > BLOCK_BYTES || out.subarray(end).some((octet) => octet !== padding))
    throw new Error('RC2: wrong padding');
  return out.subarray(0, end);
}

/** Expands a key to 64 words of 16 bits (RFC 2268 §2). */
function expandedKey(key: Uint8Array): Uint16Array {
  const octets = new Uint8Array(128);
  octets.set(key);
  for (let i = key.length; i < 128; i++) octets[i] = PI[(octets[i - 1]! + octets[i - key.length]!) & 0xff]!;
  octets[128 - key.length] = PI[octets[128 - key.length]!]!;
  for (let i = 127 - key.length; i >= 0; i--) octets[i] = PI[octets[i + 1]! ^ octets[i + key.length]!]!;
  return Uint16Array.from({ length: 64 }, (_, i) => octets[2 * i]! + 256 * octets[2 * i + 1]!);
}

/** Decrypts a block by RFC 2268 §4: sixteen reverse mixing rounds, with two reverse mashing rounds between them. */
function decryptBlock(key: Uint16Array, block: Uint8Array): Uint8Array {
  const words = Uint16Array.from({ length: 4 }, (_, i) => block[2 * i]! + 256 * block[2 * i + 1]!);
  for (let round = 15; round >= 0; round--) {
    for (let i = 3; i >= 0; i--) {
      const turned = (words[i]! >>> TURNS[i]!) | (words[i]! << (16 - TURNS[i]!));
      const [one, two, three] = [words[(i + 3) & 3]!, words[(i + 2) & 3]!, words[(i + 1) & 3]!];
      words[i] = turned - key[4 * round + i]! - (one & two) - (~one & three);
    }
    if (round !== 11 && round !== 5) continue;
    for (let i = 3; i >= 0; i--) words[i] = words[i]! - key[words[(i + 3) & 3]! & 63]!;
  }
  return Uint8Array.from({ length: BLOCK_BYTES }, (_, i) => (words[i >> 1]! >>> (8 * (i & 1))) & 0xff);
}
