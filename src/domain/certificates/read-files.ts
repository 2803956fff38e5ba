import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { invalid, invalidField } from '../errors.ts';
import type { SigningCertificateFiles } from './import-certificate.ts';
import { readPkcs12 } from './read-pkcs12.ts';
import { readPrivateKeyFile } from './read-private-key.ts';
import { certificateBlocks, spki, toPkcs8 } from './signing-material.ts';

/** Uploaded files: one PKCS#12 file, or certificate and key in PEM or DER; absent ones are undefined. */
export interface UploadedFiles {
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
