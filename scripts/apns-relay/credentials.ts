import { X509Certificate } from 'node:crypto';
import { type ProviderKey, providerToken } from '../../src/wallets/apple/apns/direct-transport.ts';
import { type CertificateOptions, readCertificateFiles, readFile } from '../certificate-files.ts';
import { Problem } from '../settings.ts';

/**
 * The relay's credentials for Apple's push service: one certificate per pass type, and a provider key for all others.
 */
export interface Credentials {
  certificates: TopicCertificate[];
  providerKey?: ProviderKey;
}

/** A pass certificate, valid for its own pass type only. */
export interface TopicCertificate {
  topic: string;
  /** With its chain, as PEM. */
  certificatePem: string;
  privateKeyPem: string;
  /** UTC milliseconds. */
  validTo: number;
}

/** The options on the command line. */
export interface CredentialOptions {
  p12?: string[];
  cert?: string[];
  key?: string[];
  p8?: string;
  'key-id'?: string;
  'team-id'?: string;
}

/** Reads the files named in the options. Throws a `Problem` that says what is missing or wrong. */
export function readCredentials(options: CredentialOptions, now = Date.now()): Credentials {
  const { p12 = [], cert = [], key = [] } = options;
  if (cert.length !== key.length) throw new Problem('Each --cert F needs a --key F.');
  const files: CertificateOptions[] = [
    ...p12.map((p12) => ({ p12 })),
    ...cert.map((cert, i) => ({ cert, key: key[i] })),
  ];
  const certificates = files.map((named) => readTopicCertificate(named, now));
  const topics = certificates.map(({ topic }) => topic);
  const twice = topics.find((topic, index) => topics.indexOf(topic) !== index);
  if (twice) throw new Problem(`Two certificates are for ${twice}: give only the one that is valid longer.`);
  const providerKey = readProviderKey(options);
  if (certificates.length === 0 && !providerKey) {
    throw new Problem('Give the pass certificate with --p12 F or --cert F and --key F, or a key with --p8 F.');
  }
  return { certificates, providerKey };
}

/** Builds the same from PEM. Throws a `Problem` if the certificate isn't for a pass type or has expired. */
export function topicCertificate(
  files: { certificatePem: string; privateKeyPem: string; intermediatePem?: string },
  name: string,
  now = Date.now(),
): TopicCertificate {
  const certificate = new X509Certificate(files.certificatePem);
  const { UID: topic }: Record<string, string | string[] | undefined> = { ...certificate.toLegacyObject().subject };
  if (typeof topic !== 'string')
    throw new Problem(`${name} is not a pass certificate: its subject has no UID such as pass.com.example.tickets.`);
  const validTo = Date.parse(certificate.validTo);
  if (validTo <= now) throw new Problem(`${name} expired on ${certificate.validTo}.`);
  return {
    topic,
    certificatePem: [files.certificatePem, files.intermediatePem ?? ''].map((pem) => pem.trim()).join('\n'),
    privateKeyPem: files.privateKeyPem,
    validTo,
  };
}

function readTopicCertificate(options: CertificateOptions, now: number): TopicCertificate {
  return topicCertificate(readCertificateFiles(options), (options.p12 ?? options.cert)!, now);
}

function readProviderKey({ p8, 'key-id': keyId, 'team-id': teamId }: CredentialOptions): ProviderKey | undefined {
  if (!p8) {
    if (keyId || teamId) throw new Problem('--key-id and --team-id need --p8.');
    return undefined;
  }
  if (!keyId || !teamId) throw new Problem('--p8 needs --key-id and --team-id.');
  const privateKeyPem = readFile(p8).toString();
  return { keyId, teamId, privateKeyPem };
}

/** Throws a `Problem` if the key can't sign, so that startup fails instead of the first push. */
export async function tryProviderKey(key: ProviderKey): Promise<void> {
  try {
    await providerToken(key, Date.now());
  } catch {
    throw new Problem('The --p8 file has no readable P-256 key.');
  }
}
