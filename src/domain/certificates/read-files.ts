import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type Asn1, identifierOf, integerOf, isInteger, memberOf, readAsn1, writeDer } from '../../platform/asn1.ts';
import { DomainError, invalid, invalidField } from '../errors.ts';
import type { SigningCertificateFiles } from './import-certificate.ts';
import { readPkcs12 } from './read-pkcs12.ts';
import { certificateBlocks, spki, toPkcs8 } from './signing-material.ts';

/** Uploaded files: one PKCS#12 file, or certificate and key in PEM or DER; absent ones are undefined. */
interface UploadedFiles {
  p12?: Uint8Array;
  certificate?: Uint8Array;
  key?: Uint8Array;
  /** Certificate of the issuer, if it is in none of the others. */
  intermediate?: Uint8Array;
  /** Password of the PKCS#12 file or of the key; used here and never stored. */
  password: string;
}

/** A key and its certificate chain take a tenth of this. */
const FILE_BYTES_MAX = 64 * 1024;

/**
 * Reads a signing certificate, its key and possible issuers from files. Throws `invalid` with the file, including when
 * opening it would take more work than key files need. `importCertificate` checks whether they fit together.
 */
export async function readUploadedFiles(files: UploadedFiles): Promise<SigningCertificateFiles> {
  requireSmall('.p12 file', files.p12);
  requireSmall('Certificate', files.certificate);
  requireSmall('Key', files.key);
  requireSmall('Intermediate', files.intermediate);
  const issuers = files.intermediate ? readCertificates('Intermediate', files.intermediate) : [];
  if (files.p12) {
    if (files.certificate || files.key) throw invalid('Send either a .p12 file, or a certificate and its key');
    const { key, chain } = readPkcs12(files.p12, files.password);
    return combineFiles(key, [...chain, ...issuers]);
  }
  if (!files.certificate || !files.key) throw invalid('Send a .p12 file, or a certificate and its key');
  return combineFiles(readPrivateKeyFile(files.key, files.password), [
    ...readCertificates('Certificate', files.certificate),
    ...issuers,
  ]);
}

function requireSmall(name: string, bytes: Uint8Array | undefined): void {
  if (!bytes || bytes.length <= FILE_BYTES_MAX) return;
  throw invalidField(name, `must have at most ${FILE_BYTES_MAX} bytes; export only the key and its certificates`);
}

/** Puts the key's certificate first; the others may be its issuer. */
function combineFiles(key: KeyObject, chain: X509Certificate[]): SigningCertificateFiles {
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

/** Returns the first certificate of a file in PEM or DER. Throws `invalid` with the field. */
export function readCertificateFile(field: string, bytes: Uint8Array): X509Certificate {
  requireSmall(field, bytes);
  return readCertificates(field, bytes)[0]!;
}

const isPem = (bytes: Uint8Array) => new TextDecoder().decode(bytes.subarray(0, 4_096)).includes('-----BEGIN');

function readCertificates(field: string, bytes: Uint8Array): X509Certificate[] {
  const blocks = isPem(bytes) ? certificateBlocks(new TextDecoder().decode(bytes)) : [bytes];
  try {
    if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block));
  } catch {
    // Reported below.
  }
  throw invalidField(field, 'must be a certificate, in PEM or DER');
}

/** Maximum rounds of an encrypted key: a tenth of a second. Programs write 2,048, careful people 600,000. */
const ROUNDS_MAX = 1_000_000;
/** Maximum N × r × p of scrypt: the default of openssl, which takes 16 MiB. */
const SCRYPT_COST_MAX = 131_072;

const PBES2 = '1.2.840.113549.1.5.13';
const SCRYPT = '1.3.6.1.4.1.11591.4.11';

/**
 * Reads the first private key of a PEM text, encrypted or not. Throws `invalid` with the key if it can't be read, the
 * passphrase is wrong, or the derivation would take too long. The last is checked first.
 */
function readPrivateKeyFile(bytes: Uint8Array, passphrase: string): KeyObject {
  const block = firstKey(new TextDecoder().decode(bytes));
  if (!block) throw invalidField('Key', 'must be a private key in PEM');
  const isEncrypted = block.pem.includes('ENCRYPTED');
  const pem = block.label === 'ENCRYPTED PRIVATE KEY' ? checkedPem(block) : block.pem;
  try {
    return createPrivateKey({ key: pem, ...(isEncrypted && { passphrase }) });
  } catch {
    throw invalid(isEncrypted ? 'The password of the key is missing or wrong' : 'Key: must be a private key in PEM');
  }
}

interface Block {
  label: string;
  /** With its first and last line. */
  pem: string;
  /** The text between them. */
  body: string;
}

function firstKey(text: string): Block | undefined {
  const begin = /-----BEGIN ([A-Z]{1,20} )?PRIVATE KEY-----/.exec(text);
  if (!begin) return undefined;
  const label = `${begin[1] ?? ''}PRIVATE KEY`;
  const last = `-----END ${label}-----`;
  const start = begin.index + begin[0].length;
  const end = text.indexOf(last, start);
  if (end < 0) return undefined;
  return { label, pem: text.slice(begin.index, end + last.length), body: text.slice(start, end) };
}

/** Rewrites the key from the checked structure, so that no other interpretation of the same bytes is used. */
function checkedPem({ label, body }: Block): string {
  let der: Uint8Array<ArrayBuffer>;
  try {
    const info = readAsn1(Buffer.from(body, 'base64'));
    requireLittleWork(info);
    der = writeDer(info);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw invalidField('Key', 'must be a private key in PEM');
  }
  const base64 = Buffer.from(der).toString('base64');
  return `-----BEGIN ${label}-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;
}

/** Checks the parameters of an EncryptedPrivateKeyInfo (RFC 5958 §3; RFC 8018 appendix A; RFC 7914 §7). */
function requireLittleWork(info: Asn1): void {
  let [name, parameters] = algorithmOf(memberOf(info, 0));
  if (name === PBES2) [name, parameters] = algorithmOf(memberOf(parameters, 0));
  const numbers = parameters.members.filter(isInteger).map(integerOf);
  if (name === SCRYPT) {
    const cost = numbers.slice(0, 3).reduce((product, number) => product * number, 1);
    if (!(cost <= SCRYPT_COST_MAX)) {
      throw invalidField(
        'Key',
        `its scrypt parameters N × r × p must be at most ${SCRYPT_COST_MAX}, for example 16384 × 8 × 1`,
      );
    }
  } else if (!(Math.max(0, ...numbers) <= ROUNDS_MAX)) {
    throw invalidField(
      'Key',
      `derives its key in more than ${ROUNDS_MAX} rounds; encrypt it with fewer, for example 2048`,
    );
  }
}

const algorithmOf = (algorithm: Asn1): [name: string, parameters: Asn1] => [
  identifierOf(memberOf(algorithm, 0)),
  memberOf(algorithm, 1),
];
