import { beforeAll, describe, expect, test } from 'vitest';
import { createDevelopmentAuthority, type DevelopmentAuthority } from '../../../scripts/development-ca.ts';
import { loadSigner, type Signer, signManifest } from '../../../src/wallets/apple/signature.ts';
import { printSignature, verifySignature } from './tools.ts';

const IDENTITY = { passTypeId: 'pass.com.example.test', teamId: 'ABCDE12345', organizationName: 'Müller & Söhne' };
const MANIFEST = new TextEncoder().encode('{"pass.json":"da39a3ee5e6b4b0d3255bfef95601890afd80709"}\r\n');
const AT = new Date(Date.UTC(2026, 10, 20, 10, 30, 5));

describe.each(['rsa', 'ec'] as const)('signManifest with a key of type %s', (keyType) => {
  let authority: DevelopmentAuthority;
  let signer: Signer;
  beforeAll(async () => {
    authority = await createDevelopmentAuthority({ ...IDENTITY, keyType });
    signer = await loadSigner(authority);
  });

  test('creates a signature that openssl accepts with only the root', async () => {
    const signature = await signManifest(MANIFEST, signer, new Date());
    expect(() => verifySignature(MANIFEST, signature, authority.rootPem)).not.toThrow();
  });

  test('covers every byte of the manifest', async () => {
    const signature = await signManifest(MANIFEST, signer, new Date());
    const tampered = MANIFEST.slice();
    tampered[20]! ^= 1;
    expect(() => verifySignature(tampered, signature, authority.rootPem)).toThrow(/digest|verif/i);
  });

  test('does not verify under another root', async () => {
    const other = await createDevelopmentAuthority(IDENTITY);
    const signature = await signManifest(MANIFEST, signer, new Date());
    expect(() => verifySignature(MANIFEST, signature, other.rootPem)).toThrow(/certificate verify error/);
  });

  test('contains both certificates, SHA-256 and the signing time', async () => {
    const print = printSignature(await signManifest(MANIFEST, signer, AT));
    expect(print.match(/^ +d\.certificate:/gm)).toHaveLength(2);
    expect(print).toContain('UTCTIME:Nov 20 10:30:05 2026 GMT');
    expect(print).toContain('eContent: <ABSENT>');
    expect(print).toMatch(/digestAlgorithm: *\n *algorithm: sha256/);
    expect(print).toMatch(
      keyType === 'rsa'
        ? /signatureAlgorithm: *\n *algorithm: rsaEncryption/
        : /signatureAlgorithm: *\n *algorithm: ecdsa-with-SHA256/,
    );
  });

  test('has its attributes in the order of a DER SET', async () => {
    const print = printSignature(await signManifest(MANIFEST, signer, AT));
    const attributes = [...print.matchAll(/object: (contentType|signingTime|messageDigest) /g)].map(([, name]) => name);
    expect(attributes).toEqual(['contentType', 'signingTime', 'messageDigest']);
  });

  test('writes times from 2050 in full', async () => {
    const print = printSignature(await signManifest(MANIFEST, signer, new Date(Date.UTC(2050, 0, 1))));
    expect(print).toContain('GENERALIZEDTIME:Jan  1 00:00:00 2050 GMT');
  });
});

describe('signManifest with many EC signatures', () => {
  test('encodes numbers of any length', async () => {
    const authority = await createDevelopmentAuthority({ ...IDENTITY, keyType: 'ec' });
    const signer = await loadSigner(authority);
    const byLength = new Map<number, Uint8Array>();
    // Half of the numbers get a leading zero; about one in 256 is a byte shorter.
    for (let i = 0; i < 600; i++) {
      const signature = await signManifest(MANIFEST, signer, new Date());
      byLength.set(signature.length, signature);
    }
    expect(byLength.size).toBeGreaterThan(2);
    for (const signature of byLength.values())
      expect(() => verifySignature(MANIFEST, signature, authority.rootPem)).not.toThrow();
  });
});

describe('loadSigner', () => {
  test('rejects keys that Apple does not accept, and texts that are not PEM', async () => {
    const authority = await createDevelopmentAuthority(IDENTITY);
    const p384 = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-384' }, true, ['sign']);
    const pkcs8 = Buffer.from(
      (await crypto.subtle.exportKey('pkcs8', (p384 as CryptoKeyPair).privateKey)) as ArrayBuffer,
    );
    const privateKeyPem = `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString('base64')}\n-----END PRIVATE KEY-----`;
    await expect(loadSigner({ ...authority, privateKeyPem })).rejects.toThrow('RSA or a P-256 key');
    await expect(loadSigner({ ...authority, privateKeyPem: 'nonsense' })).rejects.toThrow('PRIVATE KEY');
    await expect(loadSigner({ ...authority, certificatePem: '' })).rejects.toThrow('CERTIFICATE');
    await expect(loadSigner({ ...authority, certificatePem: authority.privateKeyPem })).rejects.toThrow();
  });

  test('reads PEM texts with remarks and Windows line ends', async () => {
    const authority = await createDevelopmentAuthority(IDENTITY);
    const certificatePem = `subject=UID = x\r\n${authority.certificatePem.replaceAll('\n', '\r\n')}\r\n`;
    const signer = await loadSigner({ ...authority, certificatePem });
    const signature = await signManifest(MANIFEST, signer, new Date());
    expect(() => verifySignature(MANIFEST, signature, authority.rootPem)).not.toThrow();
  });
});
