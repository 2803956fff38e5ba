import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** PEM texts of a development certificate authority: the root for verifying, and the files a signer needs. */
export interface DevelopmentAuthority {
  rootPem: string;
  intermediatePem: string;
  /** The pass type certificate. */
  certificatePem: string;
  /** Its key, PKCS#8. */
  privateKeyPem: string;
}

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: Uint8Array.of(1, 0, 1),
  modulusLength: 2048,
};
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

const CA_YEARS = 10;
const LEAF_YEARS = 1;
/** Certificates are valid from a day ago, so that machines with slow clocks accept them. */
const BACKDATED_MS = 24 * 60 * 60 * 1000;

/** Attribute "user ID" of a subject (RFC 4519 §2.39). Apple puts the pass type identifier there. */
const NAME_USER_ID = '0.9.2342.19200300.100.1.1';
/** Apple's key usage "pass type identifier signing", alongside client authentication for pushes. */
const EKU_PASS_SIGNING = '1.2.840.113635.100.4.14';
/** Apple's extension that repeats the pass type identifier. */
const EXTENSION_PASS_TYPE = '1.2.840.113635.100.6.1.16';
/** Apple's extension that marks a WWDR intermediate. */
const EXTENSION_WWDR = '1.2.840.113635.100.6.2.1';

/**
 * Creates certificates like Apple's: root, intermediate and pass type certificate, valid for one year, with the subject
 * and extensions that devices read. Devices reject their signatures; openssl accepts them with `rootPem`. `keyType` is
 * the pass type key's kind; Apple accepts both.
 */
export async function createDevelopmentAuthority(options: {
  passTypeId: string;
  teamId: string;
  organizationName: string;
  keyType?: 'rsa' | 'ec';
}): Promise<DevelopmentAuthority> {
  const { organizationName, keyType = 'rsa' } = options;
  const [rootKeys, intermediateKeys, leafKeys] = await Promise.all([
    generateKeys(RSA),
    generateKeys(RSA),
    generateKeys(keyType === 'rsa' ? RSA : ECDSA),
  ]);
  const root = await issueRoot(organizationName, rootKeys);
  const intermediate = await issueIntermediate(organizationName, intermediateKeys, root, rootKeys);
  const leaf = await issueLeaf(options, leafKeys, intermediate, intermediateKeys);
  const pkcs8 = (await crypto.subtle.exportKey('pkcs8', leafKeys.privateKey)) as ArrayBuffer;
  return {
    rootPem: root.toString('pem'),
    intermediatePem: intermediate.toString('pem'),
    certificatePem: leaf.toString('pem'),
    privateKeyPem: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
  };
}

async function issueRoot(organizationName: string, rootKeys: CryptoKeyPair): Promise<x509.X509Certificate> {
  return x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: ['Development Root CA'] }, { O: [organizationName] }, { C: ['US'] }],
    ...validity(CA_YEARS),
    signingAlgorithm: RSA,
    keys: rootKeys,
    extensions: await authorityExtensions(rootKeys, 1),
  });
}

async function issueIntermediate(
  organizationName: string,
  intermediateKeys: CryptoKeyPair,
  root: x509.X509Certificate,
  rootKeys: CryptoKeyPair,
): Promise<x509.X509Certificate> {
  return x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [
      {
        CN: ['Development Worldwide Developer Relations Certification Authority'],
      },
      { OU: ['G4'] },
      { O: [organizationName] },
      { C: ['US'] },
    ],
    issuer: root.subject,
    ...validity(CA_YEARS),
    signingAlgorithm: RSA,
    publicKey: intermediateKeys.publicKey,
    signingKey: rootKeys.privateKey,
    extensions: [
      ...(await authorityExtensions(intermediateKeys, 0)),
      await x509.AuthorityKeyIdentifierExtension.create(root),
      // The value is an ASN.1 NULL.
      new x509.Extension(EXTENSION_WWDR, false, Uint8Array.of(5, 0)),
    ],
  });
}

async function issueLeaf(
  { passTypeId, teamId, organizationName }: { passTypeId: string; teamId: string; organizationName: string },
  leafKeys: CryptoKeyPair,
  intermediate: x509.X509Certificate,
  intermediateKeys: CryptoKeyPair,
): Promise<x509.X509Certificate> {
  return x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [
      { [NAME_USER_ID]: [passTypeId] },
      { CN: [`Pass Type ID: ${passTypeId}`] },
      { OU: [teamId] },
      { O: [organizationName] },
      { C: ['US'] },
    ],
    issuer: intermediate.subject,
    ...validity(LEAF_YEARS),
    signingAlgorithm: RSA,
    publicKey: leafKeys.publicKey,
    signingKey: intermediateKeys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth, EKU_PASS_SIGNING]),
      await x509.SubjectKeyIdentifierExtension.create(leafKeys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(intermediate),
      new x509.Extension(EXTENSION_PASS_TYPE, false, utf8String(passTypeId)),
    ],
  });
}

async function generateKeys(algorithm: typeof RSA | typeof ECDSA): Promise<CryptoKeyPair> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  return keys as CryptoKeyPair;
}

async function authorityExtensions(keys: CryptoKeyPair, pathLength: number): Promise<x509.Extension[]> {
  return [
    new x509.BasicConstraintsExtension(true, pathLength, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
  ];
}

function validity(years: number): { notBefore: Date; notAfter: Date } {
  const notBefore = new Date(Date.now() - BACKDATED_MS);
  const notAfter = new Date(notBefore);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + years);
  return { notBefore, notAfter };
}

/** Returns 60 random bits after a leading one: positive and of constant length. */
function serialNumber(): string {
  return `1${randomBytes(8).toString('hex').slice(1)}`;
}

/** Encodes a text under 128 bytes as an ASN.1 UTF8String. */
function utf8String(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length >= 0x80) throw new Error('a pass type identifier has at most 127 bytes');
  return Uint8Array.of(0x0c, bytes.length, ...bytes);
}
