import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { DomainError, invalid } from '../errors.ts';
import { type Forge, withRoundLimit } from './guarded-forge.ts';

/** A key, two or three certificates of its chain; programs write no more. */
const BAGS_MAX = 20;

type Bag = import('node-forge').pkcs12.Bag;

export interface OpenedPkcs12 {
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
