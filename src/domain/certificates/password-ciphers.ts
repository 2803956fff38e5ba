import { createDecipheriv, pbkdf2Sync } from 'node:crypto';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { type Asn1, identifierOf, integerOf, isInteger, memberOf, octetsOf } from '../../platform/asn1.ts';
import { decryptRc2 } from '../../platform/rc2.ts';
import { invalid } from '../errors.ts';

/** Reserves the rounds of a key derivation before it runs; throws for too many. */
export type SpendRounds = (rounds: number) => void;

const FUNCTIONS = { sha1, sha224, sha256, sha384, sha512 };
type Digest = keyof typeof FUNCTIONS;

/** Digests by object identifier; an HMAC of one has another. */
export const DIGESTS: Record<string, Digest> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
const HMACS: Record<string, Digest> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.8': 'sha224',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
};

const PBES2 = '1.2.840.113549.1.5.13';
const PBKDF2 = '1.2.840.113549.1.5.12';

interface Cipher {
  keyBytes: number;
  ivBytes: number;
  decrypt(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array;
}

/** `whole` extends a derived key to the length that the cipher needs. */
const native = (name: string, keyBytes: number, ivBytes: number, whole = (key: Uint8Array) => key): Cipher => ({
  keyBytes,
  ivBytes,
  decrypt(key, iv, data) {
    const decipher = createDecipheriv(name, whole(key), iv);
    return Buffer.concat([decipher.update(data), decipher.final()]);
  },
});
const rc2 = (keyBytes: number): Cipher => ({ keyBytes, ivBytes: 8, decrypt: decryptRc2 });
const tripleDes = native('des-ede3-cbc', 24, 8);
/** Triple DES with repeated keys: with two of its three, and with one, which is DES. */
const twoKeyDes = native('des-ede3-cbc', 16, 8, (key) => Buffer.concat([key, key.subarray(0, 8)]));
const singleDes = native('des-ede3-cbc', 8, 8, (key) => Buffer.concat([key, key, key]));

/** RFC 7292 appendix C: key and initialization vector are both derived. */
const PKCS12_CIPHERS: Record<string, Cipher> = {
  '1.2.840.113549.1.12.1.3': tripleDes,
  '1.2.840.113549.1.12.1.4': twoKeyDes,
  '1.2.840.113549.1.12.1.5': rc2(16),
  '1.2.840.113549.1.12.1.6': rc2(5),
};
/** RFC 8018 appendix B.2. */
const PBES2_CIPHERS: Record<string, Cipher> = {
  '1.2.840.113549.3.7': tripleDes,
  '1.3.14.3.2.7': singleDes,
  '2.16.840.1.101.3.4.1.2': native('aes-128-cbc', 16, 16),
  '2.16.840.1.101.3.4.1.22': native('aes-192-cbc', 24, 16),
  '2.16.840.1.101.3.4.1.42': native('aes-256-cbc', 32, 16),
};

/** Decrypts password-protected data by an AlgorithmIdentifier. Throws if either is wrong. */
export function decryptByPassword(algorithm: Asn1, data: Uint8Array, password: string, spend: SpendRounds): Uint8Array {
  const name = identifierOf(memberOf(algorithm, 0));
  const parameters = memberOf(algorithm, 1);
  if (name === PBES2) return decryptPbes2(parameters, data, password, spend);
  const cipher = lookUp(PKCS12_CIPHERS, name);
  const by = {
    digest: 'sha1' as const,
    password,
    salt: octetsOf(memberOf(parameters, 0)),
    rounds: integerOf(memberOf(parameters, 1)),
  };
  const key = derivePkcs12(by, PURPOSE.key, cipher.keyBytes, spend);
  const iv = derivePkcs12(by, PURPOSE.iv, cipher.ivBytes, spend);
  return cipher.decrypt(key, iv, data);
}

/** RFC 8018 appendix A. */
function decryptPbes2(parameters: Asn1, data: Uint8Array, password: string, spend: SpendRounds): Uint8Array {
  const [derivation, encryption] = [memberOf(parameters, 0), memberOf(parameters, 1)];
  if (identifierOf(memberOf(derivation, 0)) !== PBKDF2) throw unknownAlgorithm();
  const cipher = lookUp(PBES2_CIPHERS, identifierOf(memberOf(encryption, 0)));
  const [salt, rounds, ...options] = memberOf(derivation, 1).members as [Asn1, Asn1, ...Asn1[]];
  const prf = options.find((option) => !isInteger(option));
  const digest = prf ? lookUp(HMACS, identifierOf(memberOf(prf, 0))) : 'sha1';
  const count = integerOf(rounds);
  spend(count);
  const key = pbkdf2Sync(password, octetsOf(salt), count, cipher.keyBytes, digest);
  return cipher.decrypt(key, octetsOf(memberOf(encryption, 1)), data);
}

/** openssl writes files with algorithms that are known here. */
export const unknownAlgorithm = () =>
  invalid(
    'The .p12 file uses an algorithm that is not supported; convert it with "openssl pkcs12 -in old.p12 -nodes -out ' +
      'pass.pem" and "openssl pkcs12 -export -in pass.pem -out new.p12"',
  );

function lookUp<T>(table: Record<string, T>, name: string): T {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!found) throw unknownAlgorithm();
  return found;
}

/** Purpose of derived bytes (RFC 7292 appendix B.3). */
export const PURPOSE = { key: 1, iv: 2, mac: 3 } as const;

/**
 * Derives a key for PKCS#12 (RFC 7292 appendix B.2). Digests of so few bytes take four times as long with workerd's
 * `createHash`.
 */
export function derivePkcs12(
  { digest, password, salt, rounds }: { digest: Digest; password: string; salt: Uint8Array; rounds: number },
  purpose: number,
  length: number,
  spend: SpendRounds,
): Uint8Array {
  spend(rounds);
  const hashOf = FUNCTIONS[digest];
  const { blockLen: blockBytes } = hashOf;
  const diversifier = new Uint8Array(blockBytes).fill(purpose);
  const input = Buffer.concat([
    repeatBytes(salt, blockBytes),
    repeatBytes(Buffer.from(`${password}\0`, 'utf16le').swap16(), blockBytes),
  ]);
  const out: Uint8Array[] = [];
  for (let made = 0; made < length; ) {
    let hash = hashOf(Buffer.concat([diversifier, input]));
    for (let round = 1; round < rounds; round++) hash = hashOf(hash);
    out.push(hash);
    made += hash.length;
    const step = repeatBytes(hash, blockBytes, blockBytes);
    for (let at = 0; at < input.length; at += blockBytes) addOneAnd(input.subarray(at, at + blockBytes), step);
  }
  return Buffer.concat(out).subarray(0, length);
}

/** Repeats the bytes up to `length`, by default up to whole blocks. */
function repeatBytes(
  bytes: Uint8Array,
  blockBytes: number,
  length = Math.ceil(bytes.length / blockBytes) * blockBytes,
) {
  return Uint8Array.from({ length }, (_, i) => bytes[i % bytes.length]!);
}

/** Adds a number and one to a block, both big-endian. */
function addOneAnd(block: Uint8Array, step: Uint8Array): void {
  let carry = 1;
  for (let i = block.length - 1; i >= 0; i--) {
    carry += block[i]! + step[i]!;
    block[i] = carry;
    carry >>>= 8;
  }
}
