import { spawnSync } from 'node:child_process';
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Problem } from './settings.ts';

/** What the administration entry accepts, as PEM. */
export interface CertificateFiles {
  certificatePem: string;
  /** Unencrypted PKCS#8. */
  privateKeyPem: string;
  intermediatePem?: string;
}

export interface CertificateOptions {
  p12?: string;
  cert?: string;
  key?: string;
  intermediate?: string;
  /** Password of the `.p12` file or of the key. */
  password?: string;
}

const PASSWORD_VARIABLE = 'CERTIFICATE_PASSWORD';

/**
 * Reads a signing certificate, its key and its issuer from a `.p12` file, or from a certificate (PEM or DER) and a key
 * file. The Worker cannot read PKCS#12, so openssl opens it here. Throws a `Problem` that names the file.
 */
export function readCertificateFiles(options: CertificateOptions): CertificateFiles {
  const password = options.password ?? process.env[PASSWORD_VARIABLE] ?? '';
  const issuers = options.intermediate ? [readCertificate(options.intermediate)] : [];
  if (options.p12) {
    if (options.cert || options.key) throw new Problem('Give either --p12 or --cert and --key, not both.');
    return fromPkcs12(options.p12, password, issuers);
  }
  if (!options.cert || !options.key)
    throw new Problem('Give the certificate with --p12 F, or with --cert F and --key F.');
  const key = readKey(options.key, readFile(options.key), password);
  return toFiles(key, [...readChain(options.cert), ...issuers], options.cert);
}

function fromPkcs12(file: string, password: string, issuers: X509Certificate[]): CertificateFiles {
  readFile(file);
  // Older programs use ciphers that openssl 3 reads only with `-legacy`.
  const attempts = [[], ['-legacy']].map((extra) => runPkcs12(file, password, extra));
  const opened = attempts.find(({ status }) => status === 0);
  if (!opened) {
    const words = attempts.map(({ stderr }) => stderr).join('');
    if (/mac verify|invalid password|bad decrypt/i.test(words)) {
      throw new Problem(`The password of ${file} is wrong: give it with --password or in ${PASSWORD_VARIABLE}.`);
    }
    throw new Problem(`${file} is not a PKCS#12 file that openssl can read.`);
  }
  const key = readKey(file, Buffer.from(opened.stdout), password);
  return toFiles(key, [...readPemChain(file, opened.stdout), ...issuers], file);
}

/** Passes the password through the environment, where other users can't see it. */
function runPkcs12(file: string, password: string, extra: string[]) {
  const parameters = ['pkcs12', '-in', file, '-nodes', '-passin', `env:${PASSWORD_VARIABLE}`, ...extra];
  const result = spawnSync('openssl', parameters, {
    encoding: 'utf8',
    env: { ...process.env, [PASSWORD_VARIABLE]: password },
  });
  if (result.error) throw new Problem('A .p12 file needs the program openssl, which was not found on this machine.');
  return result;
}

/** Puts the certificate that matches the key first; the others may contain its issuer. */
function toFiles(key: KeyObject, chain: X509Certificate[], file: string): CertificateFiles {
  const certificate = chain.find((candidate) => candidate.checkPrivateKey(key));
  if (!certificate) throw new Problem(`The certificate in ${file} does not belong to the private key.`);
  const issuers = chain.filter((candidate) => candidate !== certificate);
  return {
    certificatePem: certificate.toString(),
    privateKeyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ...(issuers.length > 0 && { intermediatePem: issuers.map(String).join('') }),
  };
}

function readKey(file: string, content: Buffer, passphrase: string): KeyObject {
  try {
    return createPrivateKey({ key: content, passphrase });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (/PASSPHRASE|BAD_DECRYPT|CRYPTO_OPERATION/.test(code) || content.includes('ENCRYPTED')) {
      throw new Problem(
        `The password of ${file} is missing or wrong: give it with --password or in ${PASSWORD_VARIABLE}.`,
      );
    }
    throw new Problem(`${file} has no private key in PEM format.`);
  }
}

function readChain(file: string): X509Certificate[] {
  const content = readFile(file);
  return content.includes('-----BEGIN') ? readPemChain(file, content.toString()) : [readCertificate(file)];
}

function readPemChain(file: string, pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (!blocks) throw new Problem(`${file} has no certificate.`);
  return blocks.map((block) => new X509Certificate(block));
}

/** Reads one certificate in PEM or DER; Apple issues DER (`.cer`). */
function readCertificate(file: string): X509Certificate {
  try {
    return new X509Certificate(readFile(file));
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(`${file} has no certificate.`);
  }
}

export function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Problem(`Cannot read ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
}
