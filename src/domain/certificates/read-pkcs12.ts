import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { DomainError, invalid } from '../errors.ts';

/** A key, two or three certificates of its chain; programs write no more. */
const BAGS_MAX = 20;

type Bag = import('node-forge').pkcs12.Bag;

interface OpenedPkcs12 {
  key: KeyObject;
  chain: X509Certificate[];
}

/**
 * Opens a PKCS#12 file, also with the ciphers of older programs (RC2, Triple DES), which neither Web Crypto nor workerd
 * has. Throws `invalid` when the password is wrong, when it holds other than one key, and when it asks for more work
 * than a key file needs.
 */
export function readPkcs12(bytes: Uint8Array, password: string): Promise<OpenedPkcs12> {
  return withRoundLimit((forge) => keyAndChain(forge, openBags(forge, bytes, password)));
}

function openBags(forge: Forge, bytes: Uint8Array, password: string): Bag[] {
  let bags: Bag[];
  try {
    const file = forge.asn1.fromDer(forge.util.createBuffer(Buffer.from(bytes).toString('latin1')));
    bags = forge.pkcs12.pkcs12FromAsn1(file, false, password).safeContents.flatMap(({ safeBags }) => safeBags);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const isPassword = /mac could not be verified|password|decrypt/i.test(String(error));
    throw invalid(isPassword ? 'The password of the .p12 file is missing or wrong' : 'The .p12 file cannot be read');
  }
  if (bags.length > BAGS_MAX) throw invalid(`The .p12 file must contain at most ${BAGS_MAX} keys and certificates`);
  return bags;
}

function keyAndChain({ asn1, pki }: Forge, bags: Bag[]): OpenedPkcs12 {
  const derOf = (value: import('node-forge').asn1.Asn1) => Buffer.from(asn1.toDer(value).getBytes(), 'latin1');
  const keys = bags.filter(({ type }) => type === pki.oids.keyBag || type === pki.oids.pkcs8ShroudedKeyBag);
  if (keys.length !== 1)
    throw invalid(`The .p12 file must contain exactly one private key, but contains ${keys.length}`);
  const [{ key, asn1: keyInfo }] = keys as [(typeof keys)[number]];
  // What is no RSA the library leaves as it stands.
  const info = key ? pki.wrapRsaPrivateKey(pki.privateKeyToAsn1(key)) : keyInfo;
  const certificates = bags.filter(({ type }) => type === pki.oids.certBag);
  try {
    return {
      key: createPrivateKey({ key: derOf(info), format: 'der', type: 'pkcs8' }),
      chain: certificates.map(
        ({ cert, asn1: plain }) => new X509Certificate(derOf(cert ? pki.certificateToAsn1(cert) : plain)),
      ),
    };
  } catch {
    throw invalid('The .p12 file contains a key or a certificate that cannot be read');
  }
}

/** Rounds of one key derivation. Programs write 2,000 to 10,000; more only keeps the Worker busy. */
const ROUNDS_MAX = 100_000;
/** Rounds of a whole file: its MAC, each encrypted part and each encrypted key derive keys of their own. */
const ROUNDS_IN_ALL_MAX = 200_000;

type Forge = typeof import('node-forge');
type Derive = (...parameters: unknown[]) => unknown;

/** What is left for the file that is being opened. Opening runs without a pause, so there is one at a time. */
let roundsLeft = 0;
let guarded: Promise<Forge> | undefined;

/**
 * Opens a file with the library for PKCS#12, which is loaded with the first file: hardly any request needs it. Each
 * key derivation asks for its rounds before it runs, so parts that only show after a decryption count like the others.
 * Throws `invalid` when a file asks for too many.
 */
function withRoundLimit<T>(open: (forge: Forge) => T): Promise<T> {
  guarded ??= import('node-forge').then(({ default: forge }) => guard(forge));
  return guarded.then((forge) => {
    roundsLeft = ROUNDS_IN_ALL_MAX;
    return open(forge);
  });
}

/**
 * Counts the rounds of all three functions by which the library derives keys for PKCS#12; it looks them up at each
 * call, and its types leave them out.
 */
function guard(forge: Forge): Forge {
  const { pkcs5, pkcs12, pki } = forge as unknown as Record<'pkcs5' | 'pkcs12', Record<string, Derive>> & {
    pki: { pbe: Record<string, Derive> };
  };
  countRounds(pkcs5, 'pbkdf2', 2);
  countRounds(pki.pbe, 'generatePkcs12Key', 3);
  countRounds(pkcs12, 'generateKey', 3);
  return forge;
}

function countRounds(owner: Record<string, Derive>, name: string, position: number): void {
  const derive = owner[name]!;
  owner[name] = (...parameters) => {
    const rounds = Number(parameters[position]);
    // A count that is no number is refused, too.
    if (!(rounds <= ROUNDS_MAX && rounds <= roundsLeft)) throw tooManyRounds();
    roundsLeft -= rounds;
    return derive(...parameters);
  };
}

const tooManyRounds = () =>
  invalid(
    `The .p12 file derives its keys in more than ${ROUNDS_MAX} rounds, or ${ROUNDS_IN_ALL_MAX} in all; export it with fewer, for example 2048`,
  );
