import {
  createHash,
  createHmac,
  createPrivateKey,
  type KeyObject,
  timingSafeEqual,
  X509Certificate,
} from 'node:crypto';
import { type Asn1, identifierOf, integerOf, memberOf, octetsOf, readAsn1, writeDer } from '../../platform/asn1.ts';
import { DomainError, invalid } from '../errors.ts';
import {
  DIGESTS,
  decryptByPassword,
  derivePkcs12,
  PURPOSE,
  type SpendRounds,
  unknownAlgorithm,
} from './password-ciphers.ts';

/** More than a key and the two or three certificates of its chain. */
const BAGS_MAX = 20;

const DATA = '1.2.840.113549.1.7.1';
const ENCRYPTED_DATA = '1.2.840.113549.1.7.6';
const KEY_BAG = '1.2.840.113549.1.12.10.1.1';
const SHROUDED_KEY_BAG = '1.2.840.113549.1.12.10.1.2';
const CERTIFICATE_BAG = '1.2.840.113549.1.12.10.1.3';
const X509_CERTIFICATE = '1.2.840.113549.1.9.22.1';

interface OpenedPkcs12 {
  key: KeyObject;
  chain: X509Certificate[];
}

/** A part of the file: its type and content. */
interface Bag {
  type: string;
  value: Asn1;
}

/**
 * Opens a PKCS#12 file (RFC 7292), including the ciphers of older programs (RC2, Triple DES). Throws `invalid` if the
 * password is wrong, the file doesn't hold exactly one key, or it needs more work than a key file should.
 */
export function readPkcs12(bytes: Uint8Array, password: string): OpenedPkcs12 {
  const opening: Opening = { password, spend: roundLimit() };
  try {
    const bags = bagsOf(readAsn1(bytes), opening);
    if (bags.length > BAGS_MAX)
      throw invalid(
        `The .p12 file must contain at most ${BAGS_MAX} keys and certificates; export only one certificate with its key`,
      );
    return keyAndChain(bags, opening);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw invalid(
      'The .p12 file cannot be read, because it is damaged or in another format; export the certificate with its key ' +
        'again, or use PEM files of both',
    );
  }
}

interface Opening {
  password: string;
  spend: SpendRounds;
}

function bagsOf(file: Asn1, opening: Opening): Bag[] {
  const [, authSafe, mac] = file.members;
  const safe = octetsOf(contentOf(authSafe!, DATA));
  if (mac) requireMac(mac, safe, opening);
  return readAsn1(safe).members.flatMap((part) => {
    const isEncrypted = identifierOf(memberOf(part, 0)) === ENCRYPTED_DATA;
    const contents = isEncrypted ? decryptContents(part, opening) : readAsn1(octetsOf(contentOf(part, DATA)));
    return contents.members.map((bag) => ({
      type: identifierOf(memberOf(bag, 0)),
      value: memberOf(memberOf(bag, 1), 0),
    }));
  });
}

/** Returns the content of a ContentInfo of this type. */
function contentOf(info: Asn1, type: string): Asn1 {
  if (identifierOf(memberOf(info, 0)) !== type) throw new Error('unknown content of a PKCS#12 file');
  return memberOf(memberOf(info, 1), 0);
}

function decryptContents(part: Asn1, opening: Opening): Asn1 {
  const encrypted = memberOf(contentOf(part, ENCRYPTED_DATA), 1);
  return openPart(memberOf(encrypted, 1), memberOf(encrypted, 2), opening);
}

/** Decrypts a part. With a wrong password, the result usually isn't ASN.1. */
function openPart(algorithm: Asn1, data: Asn1, { password, spend }: Opening): Asn1 {
  try {
    return readAsn1(decryptByPassword(algorithm, octetsOf(data), password, spend));
  } catch (error) {
    throw error instanceof DomainError ? error : wrongPassword();
  }
}

function requireMac(mac: Asn1, safe: Uint8Array, { password, spend }: Opening): void {
  const [info, salt, rounds] = mac.members as [Asn1, Asn1, Asn1 | undefined];
  const digest = DIGESTS[identifierOf(memberOf(memberOf(info, 0), 0))];
  if (!digest) throw unknownAlgorithm();
  const expected = octetsOf(memberOf(info, 1));
  const by = { digest, password, salt: octetsOf(salt), rounds: rounds ? integerOf(rounds) : 1 };
  const key = derivePkcs12(by, PURPOSE.mac, createHash(digest).digest().length, spend);
  const actual = createHmac(digest, key).update(safe).digest();
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) throw wrongPassword();
}

const wrongPassword = () =>
  invalid('The password of the .p12 file is missing or wrong; enter the one that was chosen for its export');

function keyAndChain(bags: Bag[], opening: Opening): OpenedPkcs12 {
  const keys = bags.flatMap(({ type, value }) => {
    if (type === SHROUDED_KEY_BAG) return [openPart(memberOf(value, 0), memberOf(value, 1), opening)];
    return type === KEY_BAG ? [value] : [];
  });
  const [info] = keys;
  if (!info || keys.length > 1)
    throw invalid(
      `The .p12 file must contain exactly one private key, but contains ${keys.length}; export only the certificate together with its key`,
    );
  const certificates = bags.filter((bag) => bag.type === CERTIFICATE_BAG);
  try {
    return {
      key: createPrivateKey({ key: Buffer.from(writeDer(info)), format: 'der', type: 'pkcs8' }),
      chain: certificates.map((bag) => new X509Certificate(certificateOf(bag.value))),
    };
  } catch {
    throw invalid(
      'The .p12 file contains a key or a certificate that cannot be read; export only the certificate from Apple and its key',
    );
  }
}

function certificateOf(bag: Asn1): Uint8Array {
  if (identifierOf(memberOf(bag, 0)) !== X509_CERTIFICATE) throw new Error('unknown type of certificate');
  return octetsOf(memberOf(memberOf(bag, 1), 0));
}

/** Maximum rounds of one key derivation. Programs write 2,000 to 10,000; more only keeps the Worker busy. */
const ROUNDS_MAX = 100_000;
/** Maximum rounds of a whole file: its MAC, each encrypted part and each encrypted key derive their own keys. */
const ROUNDS_IN_ALL_MAX = 200_000;

/** Counts the rounds of a file, including parts that only appear after a decryption. Throws `invalid` for too many. */
function roundLimit(): SpendRounds {
  let left = ROUNDS_IN_ALL_MAX;
  return (rounds) => {
    if (rounds > ROUNDS_MAX || rounds > left) throw tooManyRounds();
    left -= rounds;
  };
}

const tooManyRounds = () =>
  invalid(
    `The .p12 file derives its keys in more than ${ROUNDS_MAX} rounds, or ${ROUNDS_IN_ALL_MAX} in all; export it with fewer, for example 2048`,
  );
