import { execFileSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import forge from 'node-forge';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readUploadedFiles } from '../../../src/domain/certificates/read-files.ts';
import { newIssuer, newPassCertificate, type PassCertificate } from './pass-certificates.ts';

const { asn1, pki, util } = forge;
type Node = forge.asn1.Asn1;

const PASSWORD = 'sesame';
const BOMB = 2_000_000;
/** HMAC takes two digests per round, and legacy ciphers derive the key and the first block separately. */
const DIGESTS_OF_A_ROUND = 2;

let folder: string;
let pem: PassCertificate;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'key-files-'));
  pem = await newPassCertificate(await newIssuer('CN=Example WWDR'), {});
  writeFileSync(join(folder, 'key.pem'), pem.privateKeyPem);
  writeFileSync(join(folder, 'certificate.pem'), pem.certificatePem);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
const open = (p12: Uint8Array) => readUploadedFiles({ p12, password: PASSWORD });
const openKey = (key: string, password = PASSWORD) =>
  readUploadedFiles({ key: Buffer.from(key), certificate: Buffer.from(pem.certificatePem), password });

const work = vi.hoisted(() => ({ digests: 0 }));
vi.mock('@noble/hashes/legacy.js', async (importOriginal) => {
  const { sha1, ...others } = await importOriginal<typeof import('@noble/hashes/legacy.js')>();
  const counted = (bytes: Uint8Array) => {
    work.digests += 1;
    return sha1(bytes);
  };
  return { ...others, sha1: Object.assign(counted, { blockLen: sha1.blockLen }) };
});

/** Counts the digests computed meanwhile: each round of a legacy derivation takes one. */
async function digestsOf(opening: () => Promise<unknown>): Promise<number> {
  work.digests = 0;
  await opening();
  return work.digests;
}

const sequence = (...members: Node[]) => asn1.create(asn1.Class.UNIVERSAL, asn1.Type.SEQUENCE, true, members);
const oid = (name: string) =>
  asn1.create(asn1.Class.UNIVERSAL, asn1.Type.OID, false, asn1.oidToDer(pki.oids[name]!).getBytes());
const integer = (value: number) =>
  asn1.create(asn1.Class.UNIVERSAL, asn1.Type.INTEGER, false, asn1.integerToDer(value).getBytes());
const octets = (value: string) => asn1.create(asn1.Class.UNIVERSAL, asn1.Type.OCTETSTRING, false, value);
const tagged = (member: Node) => asn1.create(asn1.Class.CONTEXT_SPECIFIC, 0, true, [member]);
const derOf = (node: Node) => asn1.toDer(node).getBytes();

/** Builds a key that is encrypted with `count` rounds, but claims `rounds`. */
function shrouded(rounds: number, count: number): Node {
  const key = pki.wrapRsaPrivateKey(pki.privateKeyToAsn1(pki.privateKeyFromPem(pkcs1(pem.privateKeyPem))));
  const info = pki.encryptPrivateKeyInfo(key, PASSWORD, { algorithm: '3des', count });
  const parameters = ((info.value as Node[])[0]!.value as Node[])[1]!;
  (parameters.value as Node[])[1] = integer(rounds);
  return info;
}

const pkcs1 = (text: string) => createPrivateKey(text).export({ type: 'pkcs1', format: 'pem' }).toString();

/**
 * Builds a PKCS#12 file with its keys in a part encrypted with one round, so that they are hidden until it is
 * decrypted.
 */
function withHiddenKeys(keys: number, rounds: number, { count = 1, chunk = Number.MAX_SAFE_INTEGER } = {}): Uint8Array {
  const bag = sequence(oid('pkcs8ShroudedKeyBag'), tagged(shrouded(rounds, count)));
  const bags = sequence(...Array.from({ length: keys }, () => bag));
  const sealed = pki.encryptPrivateKeyInfo(bags, PASSWORD, { algorithm: '3des', count: 1 }).value as Node[];
  const content = asn1.create(asn1.Class.CONTEXT_SPECIFIC, 0, false, sealed[1]!.value);
  const encrypted = sequence(integer(0), sequence(oid('data'), sealed[0]!, content));
  const safe = derOf(sequence(sequence(oid('encryptedData'), tagged(encrypted))));
  const chunks = [];
  for (let at = 0; at < safe.length; at += chunk) chunks.push(octets(safe.slice(at, at + chunk)));
  const whole = asn1.create(asn1.Class.UNIVERSAL, asn1.Type.OCTETSTRING, true, chunks);
  const data = sequence(oid('data'), tagged(chunks.length > 1 ? whole : octets(safe)));
  return Buffer.from(derOf(sequence(integer(3), data)), 'latin1');
}

const TOO_MANY = /^The \.p12 file derives its keys in more than 100000 rounds, or 200000 in all; export it with fewer/;

describe('a .p12 file', () => {
  test('opens even if its key is hidden until decryption', async () => {
    await expect(open(withHiddenKeys(1, 1))).rejects.toThrow('The certificate does not belong to the private key');
  });

  test('is rejected before the derivation for a key that is hidden until decryption', async () => {
    for (const chunk of [undefined, 100]) {
      const digests = await digestsOf(() => expect(open(withHiddenKeys(1, BOMB, { chunk }))).rejects.toThrow(TOO_MANY));
      expect(digests).toBeLessThan(20);
    }
  });

  test('is rejected if all its keys together have too many rounds', async () => {
    const file = withHiddenKeys(20, 45_000, { count: 45_000 });
    const digests = await digestsOf(() => expect(open(file)).rejects.toThrow(TOO_MANY));
    expect(digests).toBeLessThanOrEqual(200_000 * DIGESTS_OF_A_ROUND);
  });

  test('has a new budget of rounds, whatever was opened before', async () => {
    await expect(open(withHiddenKeys(1, 90_000))).rejects.toThrow('password of the .p12 file');
    const words = ['-inkey', 'key.pem', '-in', 'certificate.pem', '-iter', '50000', '-passout', `pass:${PASSWORD}`];
    openssl('pkcs12', '-export', ...words, '-out', 'good.p12');
    const { certificatePem } = await open(readFileSync(join(folder, 'good.p12')));
    expect(certificatePem.trim()).toBe(pem.certificatePem.trim());
  });

  test.each([
    ['Triple DES, as programs did for years', ['PBE-SHA1-3DES', 'PBE-SHA1-3DES', 'sha1']],
    ['RC2 of 40 bits for certificates, as old programs do', ['PBE-SHA1-3DES', 'PBE-SHA1-RC2-40', 'sha1']],
    ['RC2 of 128 bits', ['PBE-SHA1-RC2-128', 'PBE-SHA1-RC2-128', 'sha1']],
    ['Triple DES with two keys', ['PBE-SHA1-2DES', 'PBE-SHA1-2DES', 'sha256']],
    ['AES, as programs do today', ['AES-256-CBC', 'AES-128-CBC', 'sha512']],
    ['Triple DES of PBES2', ['DES-EDE3-CBC', 'AES-192-CBC', 'sha384']],
    ['DES of PBES2', ['DES-CBC', 'DES-CBC', 'sha224']],
    ['nothing but its MAC', ['NONE', 'NONE', 'sha256']],
  ])('opens with %s', async (_, [key, certificate, mac]) => {
    const words = ['-keypbe', key!, '-certpbe', certificate!, '-macalg', mac!, '-legacy', '-name', 'Täst'];
    const files = ['-inkey', 'key.pem', '-in', 'certificate.pem', '-out', 'made.p12'];
    openssl('pkcs12', '-export', ...files, ...words, '-passout', `pass:${PASSWORD}`);
    const opened = await open(readFileSync(join(folder, 'made.p12')));
    expect(opened.certificatePem.trim()).toBe(pem.certificatePem.trim());
    expect(opened.privateKeyPem.trim()).toBe(pem.privateKeyPem.trim());
    const wrong = readUploadedFiles({ p12: readFileSync(join(folder, 'made.p12')), password: 'open' });
    await expect(wrong).rejects.toThrow('The password of the .p12 file is missing or wrong');
  });

  test('opens with no MAC, with an empty password and with letters of any script', async () => {
    const files = ['-inkey', 'key.pem', '-in', 'certificate.pem', '-out', 'made.p12'];
    for (const [password, ...words] of [[''], ['sésame 開け'], [PASSWORD, '-nomac']]) {
      openssl('pkcs12', '-export', ...files, ...words, '-passout', `pass:${password}`);
      const opened = await readUploadedFiles({ p12: readFileSync(join(folder, 'made.p12')), password: password! });
      expect(opened.privateKeyPem.trim()).toBe(pem.privateKeyPem.trim());
    }
  });

  test('opens with an indefinite length', async () => {
    openssl(
      ...'pkcs12 -export -inkey key.pem -in certificate.pem -out made.p12 -passout'.split(' '),
      `pass:${PASSWORD}`,
    );
    const whole = readFileSync(join(folder, 'made.p12'));
    const opened = await open(Buffer.concat([Buffer.from([0x30, 0x80]), whole.subarray(4), Buffer.alloc(2)]));
    expect(opened.privateKeyPem.trim()).toBe(pem.privateKeyPem.trim());
  });

  test('is rejected if it is truncated, has trailing data or is nested endlessly', async () => {
    openssl(
      ...'pkcs12 -export -inkey key.pem -in certificate.pem -out made.p12 -passout'.split(' '),
      `pass:${PASSWORD}`,
    );
    const whole = readFileSync(join(folder, 'made.p12'));
    const pieces = [whole.subarray(0, -1), Buffer.concat([whole, whole]), Buffer.alloc(60_000, 0x30), Buffer.alloc(0)];
    for (const bytes of [...pieces, Buffer.from('3080', 'hex').toString('latin1').repeat(9_000)])
      await expect(open(Buffer.from(bytes as string, 'latin1'))).rejects.toThrow('The .p12 file cannot be read');
  });

  test.each([
    ['key', ['-keypbe', 'CAMELLIA-256-CBC']],
    ['certificate', ['-certpbe', 'CAMELLIA-128-CBC']],
    ['MAC', ['-macalg', 'sha3-256']],
  ])('names the way to convert it if its %s uses an unknown algorithm', async (_, words) => {
    const files = ['-inkey', 'key.pem', '-in', 'certificate.pem', '-out', 'made.p12'];
    openssl('pkcs12', '-export', ...files, ...words, '-passout', `pass:${PASSWORD}`);
    await expect(open(readFileSync(join(folder, 'made.p12')))).rejects.toThrow(
      'not supported; convert it with "openssl pkcs12 -in old.p12 -nodes -out pass.pem"',
    );
    openssl('pkcs12', '-in', 'made.p12', '-nodes', '-out', 'pass.pem', '-passin', `pass:${PASSWORD}`);
    openssl('pkcs12', '-export', '-in', 'pass.pem', '-out', 'new.p12', '-passout', `pass:${PASSWORD}`);
    const opened = await open(readFileSync(join(folder, 'new.p12')));
    expect(opened.privateKeyPem.trim()).toBe(pem.privateKeyPem.trim());
  });

  test('is rejected if it contains more than a key and its certificates', async () => {
    await expect(open(withHiddenKeys(21, 1))).rejects.toThrow('must contain at most 20 keys and certificates');
    await expect(open(new Uint8Array(64 * 1024 + 1))).rejects.toThrow('.p12 file: must have at most 65536 bytes');
  });
});

/** Builds a key with openssl's encryption `parameters`, but one number replaced. */
function claiming(path: number[], value: number, ...words: string[]): string {
  const der = openssl('pkcs8', '-topk8', '-in', 'key.pem', '-outform', 'DER', '-passout', `pass:${PASSWORD}`, ...words);
  const info = asn1.fromDer(util.createBuffer(der.toString('latin1')));
  const parent = path.slice(0, -1).reduce((node, i) => (node.value as Node[])[i]!, info);
  (parent.value as Node[])[path.at(-1)!] = integer(value);
  const base64 = Buffer.from(derOf(info), 'latin1').toString('base64');
  return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${base64}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
}

/** Paths of the numbers: algorithm, its parameters, the derivation, its parameters. */
const ROUNDS = [0, 1, 0, 1, 1];
const MANY_ROUNDS = 'Key: derives its key in more than 1000000 rounds; encrypt it with fewer, for example 2048';
const MUCH_SCRYPT = 'Key: its scrypt parameters N × r × p must be at most 131072, for example 16384 × 8 × 1';

describe('an encrypted key', () => {
  test.each([
    ['PBKDF2', ['pkcs8', '-topk8']],
    ['PBKDF2 with 600,000 rounds', ['pkcs8', '-topk8', '-iter', '600000']],
    ['scrypt', ['pkcs8', '-topk8', '-scrypt']],
    ['the old way of openssl', ['rsa', '-aes256', '-traditional']],
  ])('opens with %s', async (_, words) => {
    const key = openssl(...words, '-in', 'key.pem', '-passout', `pass:${PASSWORD}`).toString();
    expect(key).toContain('ENCRYPTED');
    const text = `Bag Attributes\n    friendlyName: tickets\n${pem.certificatePem}\n${key}\n`;
    expect((await openKey(text)).privateKeyPem.trim()).toBe(pem.privateKeyPem.trim());
    await expect(openKey(key, 'wrong')).rejects.toThrow('The password of the key is missing or wrong');
  });

  test.each([
    ['PBKDF2', () => claiming(ROUNDS, 5_000_000), MANY_ROUNDS],
    ['PBES1', () => claiming([0, 1, 1], 5_000_000, '-v1', 'PBE-SHA1-3DES'), MANY_ROUNDS],
    ['scrypt by N', () => claiming([0, 1, 0, 1, 1], 1_048_576, '-scrypt'), MUCH_SCRYPT],
    ['scrypt by r', () => claiming([0, 1, 0, 1, 2], 1024, '-scrypt'), MUCH_SCRYPT],
    ['scrypt by p', () => claiming([0, 1, 0, 1, 3], 16, '-scrypt'), MUCH_SCRYPT],
  ])('is rejected unread if it requires too much work by %s', async (_, make, message) => {
    await expect(openKey(make())).rejects.toThrow(message);
  });

  test('is rejected if its parameters cannot be read', async () => {
    const key = claiming([0], 1);
    await expect(openKey(key)).rejects.toThrow('Key: must be a private key in PEM');
    await expect(openKey(key.replace('MII', '***'))).rejects.toThrow('Key: must be a private key in PEM');
  });
});
