import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { DomainError, invalid } from '../errors.ts';
import type { SigningCertificateFiles } from './import-certificate.ts';
import { toPkcs8 } from './signing-material.ts';

/** Files as somebody has them: one PKCS#12 file, or certificate and key in PEM or DER; absent ones are undefined. */
export interface UploadedFiles {
  p12?: Uint8Array;
  certificate?: Uint8Array;
  key?: Uint8Array;
  /** The certificate of the issuer, where it is in none of the others. */
  intermediate?: Uint8Array;
  /** Of the PKCS#12 file or of the key; used here and kept nowhere. */
  password: string;
}

/**
 * Reads a signing certificate, its key and what may be its issuer from files. Throws `invalid` that names the file. Whether all of it fits together is for `importCertificate` to say.
 */
export async function readUploadedFiles(files: UploadedFiles): Promise<SigningCertificateFiles> {
  const issuers = files.intermediate ? readCertificates('Intermediate', files.intermediate) : [];
  if (files.p12) {
    if (files.certificate || files.key) throw invalid('Give either a .p12 file, or a certificate and its key');
    const { key, chain } = await readPkcs12(files.p12, files.password);
    return together(key, [...chain, ...issuers]);
  }
  if (!files.certificate || !files.key) throw invalid('Give a .p12 file, or a certificate and its key');
  return together(readKey(files.key, files.password), [
    ...readCertificates('Certificate', files.certificate),
    ...issuers,
  ]);
}

/** The certificate that belongs to the key comes first; what else was found may be its issuer. */
function together(key: KeyObject, chain: X509Certificate[]): SigningCertificateFiles {
  const own = spki(createPublicKey(key));
  const certificate = chain.find(({ publicKey }) => spki(publicKey) === own);
  if (!certificate) throw invalid('The certificate does not belong to the private key');
  const others = chain.filter((one) => one !== certificate);
  return {
    certificatePem: certificate.toString(),
    privateKeyPem: toPkcs8(key),
    intermediatePem: others.map((one) => one.toString()).join('\n'),
  };
}

const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
const isPem = (bytes: Uint8Array) => new TextDecoder().decode(bytes.subarray(0, 4_096)).includes('-----BEGIN');

function readKey(bytes: Uint8Array, passphrase: string): KeyObject {
  const key = new TextDecoder().decode(bytes);
  try {
    return createPrivateKey({ key, ...(key.includes('ENCRYPTED') && { passphrase }) });
  } catch {
    if (key.includes('ENCRYPTED')) throw invalid('The password of the key is missing or wrong');
    throw invalid('Key: must be a private key in PEM');
  }
}

function readCertificates(field: string, bytes: Uint8Array): X509Certificate[] {
  const blocks = isPem(bytes)
    ? (new TextDecoder().decode(bytes).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [])
    : [bytes];
  try {
    if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block));
  } catch {
    // Said below.
  }
  throw invalid(`${field}: must be a certificate, in PEM or DER`);
}

/** Rounds that a file may ask for to make a key of its password; programs write 2,000 to 10,000. Whoever asks for more only keeps the Worker busy. */
const KEY_ROUNDS_MAX = 100_000;
const TOO_MANY_ROUNDS = `The .p12 file derives its keys in more than ${KEY_ROUNDS_MAX} rounds; export it with fewer`;

type Forge = typeof import('node-forge');
type Node = import('node-forge').asn1.Asn1;

/** The most rounds that a PKCS#12 file asks for before it is decrypted: an integer behind its salt (RFC 7292 §4 and appendix C, RFC 8018 appendix A.2). */
function roundsOf(forge: Forge, { type, value }: Node): number {
  const { asn1 } = forge;
  if (typeof value === 'string') return type === asn1.Type.OCTETSTRING ? roundsWithin(forge, value) : 0;
  const own = value.map(({ type, value: bytes }, i) => {
    const isCount = type === asn1.Type.INTEGER && value[i - 1]?.type === asn1.Type.OCTETSTRING;
    return isCount ? Number(`0x${Buffer.from(String(bytes), 'latin1').toString('hex') || '0'}`) : 0;
  });
  return Math.max(0, ...own, ...value.map((child) => roundsOf(forge, child)));
}

/** Of what an octet string holds, which need not be ASN.1. */
function roundsWithin(forge: Forge, bytes: string): number {
  let inner: Node;
  try {
    inner = forge.asn1.fromDer(forge.util.createBuffer(bytes));
  } catch {
    return 0;
  }
  return roundsOf(forge, inner);
}

interface Opened {
  key: KeyObject;
  chain: X509Certificate[];
}

/** Opens a PKCS#12 file, also with the ciphers of older programs (RC2, Triple DES), which neither Web Crypto nor workerd's OpenSSL has. The library is loaded here because hardly any request needs it. */
async function readPkcs12(bytes: Uint8Array, password: string): Promise<Opened> {
  const { default: forge } = await import('node-forge');
  const { asn1, pki, pkcs12 } = forge;
  const derOf = (value: import('node-forge').asn1.Asn1) => Buffer.from(asn1.toDer(value).getBytes(), 'latin1');
  let bags: import('node-forge').pkcs12.Bag[];
  try {
    const file = asn1.fromDer(forge.util.createBuffer(Buffer.from(bytes).toString('latin1')));
    if (roundsOf(forge, file) > KEY_ROUNDS_MAX) throw invalid(TOO_MANY_ROUNDS);
    bags = pkcs12.pkcs12FromAsn1(file, false, password).safeContents.flatMap(({ safeBags }) => safeBags);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const isPassword = /mac could not be verified|password|decrypt/i.test(String(error));
    throw invalid(isPassword ? 'The password of the .p12 file is missing or wrong' : 'The .p12 file cannot be read');
  }
  const keys = bags.filter(({ type }) => type === pki.oids.keyBag || type === pki.oids.pkcs8ShroudedKeyBag);
  if (keys.length !== 1) throw invalid(`The .p12 file must hold one private key, and holds ${keys.length}`);
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
    throw invalid('The .p12 file holds a key or a certificate that cannot be read');
  }
}
