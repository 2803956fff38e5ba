import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { fieldIssue, type Issue, invalid, invalidField } from '../errors.ts';

/** Extended key usage of Apple's pass certificates (TLS client authentication). */
const CLIENT_AUTHENTICATION_OID = '1.3.6.1.5.5.7.3.2';
const PASS_TYPE_PATTERN = /^pass(\.[A-Za-z0-9-]+)+$/;
const TEAM_PATTERN = /^[A-Z0-9]{10}$/;
const CERTIFICATE_BEGIN = '-----BEGIN CERTIFICATE-----';
const CERTIFICATE_END = '-----END CERTIFICATE-----';
const ENCRYPTED_KEY = /ENCRYPTED PRIVATE KEY|4,ENCRYPTED/;
const RSA_BITS_MIN = 2048;
/** With twice the bits, a signature takes eight times as long. Apple and Google create keys of 2048 bits. */
const RSA_BITS_MAX = 4096;

/** Checked input of a signature; times in UTC milliseconds, the key as PKCS#8 PEM. */
interface SigningMaterial {
  passTypeId: string;
  teamId: string;
  certificatePem: string;
  intermediatePem: string;
  privateKeyPem: string;
  validFrom: number;
  validTo: number;
}

/**
 * Reads a pass certificate, its key and its issuer, and checks pass type, team, purpose, dates, key and issuer, as
 * devices do. The issuer may follow the certificate or be an intermediate. With `roots` (PEM), one of them must have
 * signed the issuer. Throws `invalid` with all faults.
 */
export function readSigningMaterial(
  files: Pick<SigningMaterial, 'certificatePem' | 'privateKeyPem' | 'intermediatePem'>,
  now: number,
  roots?: readonly string[],
): SigningMaterial {
  const [certificate, ...chain] = readCertificates('certificate', files.certificatePem);
  if (!certificate) throw invalidField('certificate', 'must be a PEM certificate');
  const key = readPrivateKey('key', files.privateKeyPem);
  if (!isStrongRsa(key) && !isP256(key)) {
    throw invalidField(
      'key',
      `must be an RSA key of ${RSA_BITS_MIN} to ${RSA_BITS_MAX} bits or an elliptic curve key on P-256`,
    );
  }
  const subject = subjectOf(certificate);
  const passTypeId = String(subject.UID ?? '');
  const teamId = String(subject.OU ?? '');
  const validFrom = Date.parse(certificate.validFrom);
  const validTo = Date.parse(certificate.validTo);
  const faults: Issue[] = [];
  const fault = (field: string, message: string) => faults.push(fieldIssue(field, message));
  if (!PASS_TYPE_PATTERN.test(passTypeId)) {
    fault('certificate', 'is not a pass certificate: its subject has no UID such as pass.com.example.tickets');
  }
  if (!TEAM_PATTERN.test(teamId)) fault('certificate', 'its subject has no team identifier (OU) of ten characters');
  if (!certificate.keyUsage?.includes(CLIENT_AUTHENTICATION_OID)) {
    fault('certificate', 'its extended key usage does not include client authentication');
  }
  if (validTo <= now) fault('certificate', `expired on ${certificate.validTo}`);
  if (validFrom > now) fault('certificate', `is not valid before ${certificate.validFrom}`);
  if (!matches(certificate, key)) fault('key', 'does not belong to the certificate');
  const intermediate = issuerOf(certificate, [...chain, ...readCertificates('intermediate', files.intermediatePem)]);
  if (!intermediate) faults.push(missingIssuer(certificate));
  else if (Date.parse(intermediate.validTo) <= now) fault('intermediate', `expired on ${intermediate.validTo}`);
  else if (roots && !descends(intermediate, roots)) {
    fault('certificate', 'was not issued by Apple; create it in the Apple Developer account, under Pass Type IDs');
  }
  if (faults.length > 0 || !intermediate) throw invalid(faults);
  return {
    passTypeId,
    teamId,
    certificatePem: certificate.toString(),
    intermediatePem: intermediate.toString(),
    privateKeyPem: toPkcs8(key),
    validFrom,
    validTo,
  };
}

/** Returns the subject of a certificate by attribute name; in a pass certificate, `UID` is the pass type. */
export function subjectOf(certificate: X509Certificate): Record<string, string | string[] | undefined> {
  return { ...certificate.toLegacyObject().subject };
}

/** Reads a private key from unencrypted PEM; throws `invalid` with `field`. */
export function readPrivateKey(field: string, pem: string): KeyObject {
  try {
    // A runtime may try an empty passphrase, with as many rounds as the key demands.
    if (!ENCRYPTED_KEY.test(pem)) return createPrivateKey(pem);
  } catch {
    // Reported below.
  }
  throw invalidField(field, 'must be an unencrypted private key in PEM');
}

/** Whether a key is RSA with 2048 to 4096 bits. */
export function isStrongRsa(key: KeyObject): boolean {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  return key.asymmetricKeyType === 'rsa' && bits >= RSA_BITS_MIN && bits <= RSA_BITS_MAX;
}

/** Whether a key is on the elliptic curve P-256. */
export function isP256(key: KeyObject): boolean {
  return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

export function toPkcs8(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Returns the certificates of a text in PEM, each with its first and last line. */
export function certificateBlocks(pem: string): string[] {
  const ended = pem.split(CERTIFICATE_END).slice(0, -1);
  return ended.flatMap((text) => {
    const begin = text.lastIndexOf(CERTIFICATE_BEGIN);
    const body = text.slice(begin + CERTIFICATE_BEGIN.length);
    return begin === -1 || body === '' || body.includes('-') ? [] : CERTIFICATE_BEGIN + body + CERTIFICATE_END;
  });
}

function readCertificates(field: string, pem: string): X509Certificate[] {
  const blocks = certificateBlocks(pem);
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    throw invalidField(field, 'contains a PEM certificate that cannot be read');
  }
}

/** Compares public keys as text: in workerd, `checkPrivateKey` and `KeyObject.equals` also reject equal keys. */
function matches(certificate: X509Certificate, key: KeyObject): boolean {
  return spki(certificate.publicKey) === spki(createPublicKey(key));
}

/** Returns the public key of a key or certificate as SubjectPublicKeyInfo PEM. */
export function spki(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

function issuerOf(certificate: X509Certificate, candidates: X509Certificate[]): X509Certificate | undefined {
  return candidates.find((issuer) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey));
}

function descends(authority: X509Certificate, roots: readonly string[]): boolean {
  if (!authority.ca) return false;
  return roots
    .map((pem) => new X509Certificate(pem))
    .some((root) => authority.checkIssued(root) && authority.verify(root.publicKey));
}

function missingIssuer(certificate: X509Certificate): Issue {
  const issuer = certificate.issuer.split('\n').join(', ');
  // Apple's intermediates differ in their generation: OU=G4 is AppleWWDRCAG4.cer.
  const [, generation] = /^OU=(G\d+)$/m.exec(certificate.issuer) ?? [];
  const file = generation && certificate.issuer.includes('O=Apple Inc.') ? `AppleWWDRCA${generation}.cer` : '';
  const offered = `https://www.apple.com/certificateauthority/${file}`;
  return fieldIssue(
    'intermediate',
    `the certificate of the issuer is missing (${issuer}); download it from ${offered} and add it`,
  );
}
