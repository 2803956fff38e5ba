import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { importCertificate as importDeployed } from '../../../src/domain/certificates/import-certificate.ts';
import type { Context } from '../../../src/domain/context.ts';

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048,
};
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';
const DAY_MS = 24 * 60 * 60_000;

export interface Issuer {
  pem: string;
  name: string;
  keys: CryptoKeyPair;
}

/** A pass certificate with its private key, as PEM. */
export interface PassCertificate {
  certificatePem: string;
  privateKeyPem: string;
}

export interface PassCertificateFacts {
  subject?: string;
  purposes?: string[];
  validFromDays?: number;
  validDays?: number;
  /** PKCS#10 PEM with the key to certify; absent: a new key. */
  requestPem?: string;
}

/** Object identifier of the subject's user ID, which the library has no name for. */
const USER_ID = '0.9.2342.19200300.100.1.1';

/** Returns a pass certificate's subject, without empty parts. */
export function subjectOf(passTypeId: string, teamId = 'TEAM012345'): string {
  const parts = { [USER_ID]: passTypeId, CN: 'Pass Type ID', OU: teamId, O: 'Example' };
  return Object.entries(parts)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}

async function newKeys(): Promise<CryptoKeyPair> {
  return (await crypto.subtle.generateKey(RSA, true, ['sign', 'verify'])) as CryptoKeyPair;
}

/** Creating keys takes longer than most tests here, so later pass certificates have the keys of early ones again. */
const KEYS_MAX = 8;
const known: Promise<CryptoKeyPair>[] = [];
let taken = 0;

/** Returns other keys than in the last calls. */
function nextKeys(): Promise<CryptoKeyPair> {
  const turn = taken++ % KEYS_MAX;
  known[turn] ??= newKeys();
  return known[turn];
}

export async function newIssuer(name: string, validDays = 1000): Promise<Issuer> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    signingAlgorithm: RSA,
    notBefore: new Date(Date.now() - 2000 * DAY_MS),
    notAfter: new Date(Date.now() + validDays * DAY_MS),
    extensions: [new x509.BasicConstraintsExtension(true)],
  });
  return { pem: certificate.toString('pem'), name, keys };
}

/** Issues a certificate like Apple's; `facts` overrides parts of it. Days count from now. */
export async function newPassCertificate(issuer: Issuer, facts: PassCertificateFacts = {}): Promise<PassCertificate> {
  const {
    subject = subjectOf('pass.com.example.tickets'),
    purposes = [CLIENT_AUTHENTICATION],
    validFromDays = -1,
    validDays = 100,
    requestPem,
  } = facts;
  const keys = await nextKeys();
  const publicKey = requestPem ? new x509.Pkcs10CertificateRequest(requestPem).publicKey : keys.publicKey;
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: issuer.name,
    publicKey,
    signingKey: issuer.keys.privateKey,
    signingAlgorithm: RSA,
    notBefore: new Date(Date.now() + validFromDays * DAY_MS),
    notAfter: new Date(Date.now() + validDays * DAY_MS),
    extensions: [new x509.ExtendedKeyUsageExtension(purposes)],
  });
  const pkcs8 = (await crypto.subtle.exportKey('pkcs8', keys.privateKey)) as ArrayBuffer;
  return { certificatePem: certificate.toString('pem'), privateKeyPem: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY') };
}

/** Imports a certificate like a local service, which accepts any issuer. */
export const importCertificate: typeof importDeployed = (ctx, accountId, files) =>
  importDeployed(locally(ctx), accountId, files);

export function locally<C extends Context>(ctx: C): C {
  return { ...ctx, env: { ...ctx.env, ADMIN_TOKEN: 'local' } };
}
