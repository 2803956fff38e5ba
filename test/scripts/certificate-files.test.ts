import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readCertificateFiles } from '../../scripts/certificate-files.ts';
import { toCommandOptions } from '../../scripts/command-options.ts';
import { newIssuer, newPassCertificate } from '../domain/certificates/pass-certificates.ts';

let folder: string;
let issuerPem: string;
let certificatePem: string;
let privateKeyPem: string;
const path = (name: string) => join(folder, name);
const withoutBreaks = (pem?: string) => pem?.replace(/\s/g, '');
const der = (pem: string) => Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64');
const openssl = (...parameters: string[]) => execFileSync('openssl', parameters, { cwd: folder, stdio: 'pipe' });

/** Without openssl on the machine, a `.p12` can neither be created nor read. */
const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
})();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'certificate-files-'));
  const issuer = await newIssuer('CN=Example Issuer');
  issuerPem = issuer.pem;
  ({ certificatePem, privateKeyPem } = await newPassCertificate(issuer));
  writeFileSync(path('issuer.cer'), der(issuerPem));
  writeFileSync(path('pass.cer'), der(certificatePem));
  writeFileSync(path('chain.pem'), `${issuerPem}\n${certificatePem}\n`);
  writeFileSync(path('key.pem'), privateKeyPem);
  writeFileSync(path('other.pem'), (await newPassCertificate(issuer)).privateKeyPem);
  writeFileSync(path('note.txt'), 'hello');
});
afterAll(() => rmSync(folder, { recursive: true }));

function expectAll(files: ReturnType<typeof readCertificateFiles>): void {
  expect(withoutBreaks(files.certificatePem)).toBe(withoutBreaks(certificatePem));
  expect(withoutBreaks(files.privateKeyPem)).toBe(withoutBreaks(privateKeyPem));
  expect(withoutBreaks(files.intermediatePem)).toBe(withoutBreaks(issuerPem));
}

describe('a certificate and a key file', () => {
  test('are read from DER, as Apple issues them', () => {
    expectAll(readCertificateFiles({ cert: path('pass.cer'), key: path('key.pem'), intermediate: path('issuer.cer') }));
  });

  test('are read from a PEM chain in any order', () => {
    expectAll(readCertificateFiles({ cert: path('chain.pem'), key: path('key.pem') }));
  });

  test('omit the issuer if it was not given', () => {
    expect(readCertificateFiles({ cert: path('pass.cer'), key: path('key.pem') }).intermediatePem).toBeUndefined();
  });

  test.each([
    [{ cert: 'pass.cer', key: 'other.pem' }, /The certificate in .*pass\.cer does not belong to the private key\./],
    [{ cert: 'pass.cer', key: 'none.pem' }, /Cannot read .*none\.pem \(ENOENT\)\./],
    [{ cert: 'note.txt', key: 'key.pem' }, /note\.txt has no certificate\./],
    [{ cert: 'pass.cer', key: 'note.txt' }, /note\.txt has no private key in PEM format\./],
    [{ cert: 'pass.cer' }, /Give the certificate with --p12 F, or with --cert F and --key F\./],
    [{ cert: 'pass.cer', p12: 'x.p12' }, /Give either --p12 or --cert and --key, not both\./],
  ])('are rejected with the file’s name: %o', (options, message) => {
    const placed = Object.fromEntries(Object.entries(options).map(([name, file]) => [name, path(file)]));
    expect(() => readCertificateFiles(placed)).toThrow(message);
  });
});

describe.runIf(hasOpenssl)('a .p12 file', () => {
  const password = 'correct horse';
  const exported = (name: string, ...extra: string[]) => {
    const parameters = ['-inkey', 'key.pem', '-in', 'chain.pem', '-passout', `pass:${password}`];
    openssl('pkcs12', '-export', ...parameters, '-out', name, ...extra);
    return path(name);
  };

  test('contains certificate, key and issuer', () => {
    expectAll(readCertificateFiles({ p12: exported('new.p12'), password }));
  });

  test('may use legacy encryption', () => {
    expectAll(
      readCertificateFiles({
        p12: exported('old.p12', '-keypbe', 'PBE-SHA1-3DES', '-certpbe', 'PBE-SHA1-3DES', '-macalg', 'sha1'),
        password,
      }),
    );
    expectAll(readCertificateFiles({ p12: exported('legacy.p12', '-legacy'), password }));
  });

  test('asks for its password', () => {
    const p12 = exported('locked.p12');
    expect(() => readCertificateFiles({ p12, password: 'wrong' })).toThrow(
      `The password of ${p12} is wrong: give it with --password or in CERTIFICATE_PASSWORD.`,
    );
  });

  test('is distinguished from other files', () => {
    expect(() => readCertificateFiles({ p12: path('note.txt') })).toThrow('note.txt is not a PKCS#12 file');
    expect(() => readCertificateFiles({ p12: path('none.p12') })).toThrow('none.p12 (ENOENT)');
  });

  test('may contain an encrypted key', () => {
    openssl('pkcs8', '-topk8', '-in', 'key.pem', '-out', 'locked.pem', '-passout', `pass:${password}`);
    const files = { cert: path('chain.pem'), key: path('locked.pem') };
    expectAll(readCertificateFiles({ ...files, password }));
    expect(() => readCertificateFiles(files)).toThrow(/The password of .*locked\.pem is missing or wrong/);
  });
});

describe('toCommandOptions', () => {
  test('replaces certificate files by their contents', () => {
    const options = { account: 'A', cert: path('chain.pem'), key: path('key.pem'), development: true };
    const sent = toCommandOptions('certificate import', options);
    expect(Object.keys(sent).sort()).toEqual([
      'account',
      'certificatePem',
      'development',
      'intermediatePem',
      'privateKeyPem',
    ]);
  });

  test('reads a service account’s key file', () => {
    const file = path('service-account.json');
    writeFileSync(file, JSON.stringify({ client_email: 'a@example.com', private_key: 'PEM', type: 'service_account' }));
    expect(toCommandOptions('google-issuer import', { 'issuer-id': '33', 'service-account': file })).toEqual({
      issuerId: '33',
      clientEmail: 'a@example.com',
      privateKeyPem: 'PEM',
    });
    expect(() => toCommandOptions('google-issuer import', { 'service-account': path('note.txt') })).toThrow(
      'note.txt is not the JSON key file of a service account.',
    );
  });

  test('sends the options of other commands unchanged', () => {
    expect(toCommandOptions('account create', { name: 'N' })).toEqual({ name: 'N' });
  });

  test('sends the content of a .p8 file, and reads a relay’s token from the environment', () => {
    const key = { 'key-id': 'ABC123DEFG', id: 'C' };
    expect(toCommandOptions('certificate push', { ...key, p8: path('key.pem') })).toEqual({
      ...key,
      p8: expect.stringContaining('PRIVATE KEY'),
    });
    const relay = { id: 'C', 'relay-url': 'https://relay.example.com' };
    vi.stubEnv('APNS_RELAY_TOKEN', 'from the environment');
    expect(toCommandOptions('certificate push', relay)).toEqual({ ...relay, 'relay-token': 'from the environment' });
    const given = { ...relay, 'relay-token': 'given' };
    expect(toCommandOptions('certificate push', given)).toEqual(given);
    expect(toCommandOptions('certificate push', { id: 'C', none: true })).toEqual({ id: 'C', none: true });
    vi.unstubAllEnvs();
  });
});
