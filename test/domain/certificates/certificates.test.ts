import { generateKeyPair, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseCertificate } from '../../../src/domain/certificates/find-signing-certificate.ts';
import {
  APPLE_ISSUER,
  APPLE_ROOTS,
  importCertificate as importDeployed,
} from '../../../src/domain/certificates/import-certificate.ts';
import { listCertificates } from '../../../src/domain/certificates/manage-certificates.ts';
import type { Certificate } from '../../../src/domain/certificates/table.ts';
import { getSigningCertificate } from '../../support/open-certificate.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import {
  type Issuer,
  importCertificate,
  newIssuer,
  newPassCertificate,
  type PassCertificateFacts,
  subjectOf,
} from './pass-certificates.ts';

let database: LocalDatabase;
let issuer: Issuer;
beforeAll(async () => {
  [database, issuer] = await Promise.all([openMemoryDatabase(), newIssuer('CN=Example Issuer, OU=G9')]);
});
afterAll(() => database.close());

const ofType = (passTypeId: string) => ({ subject: subjectOf(passTypeId) });

async function filesOf(facts?: PassCertificateFacts) {
  return { ...(await newPassCertificate(issuer, facts)), intermediatePem: issuer.pem };
}

describe('importCertificate', () => {
  test('reads pass type, team and dates from the certificate, and encrypts the key', async () => {
    const ctx = await database.accountContext();
    const files = await filesOf();
    const imported = await importCertificate(ctx, ctx.account.id, files);
    expect(imported).toMatchObject({
      passTypeId: 'pass.com.example.tickets',
      teamId: 'TEAM012345',
      development: false,
    });
    expect(imported.validTo).toBeGreaterThan(Date.now());
    const row = await database.d1
      .prepare('select * from certificates where id = ?')
      .bind(imported.certificateId)
      .first();
    expect(JSON.stringify(row)).not.toContain('PRIVATE KEY');
    const { certificate, privateKeyPem } = await getSigningCertificate(ctx, ctx.account.id);
    expect(certificate).toMatchObject({ id: imported.certificateId, accountId: ctx.account.id });
    expect(certificate.intermediatePem.trim()).toBe(issuer.pem.trim());
    expect(privateKeyPem.replace(/\s/g, '')).toBe(files.privateKeyPem.replace(/\s/g, ''));
  });

  test('finds the issuer after the certificate, and among those of the account’s other certificates', async () => {
    const ctx = await database.accountContext();
    const { pem, ...own } = await newIssuer('CN=Found');
    const files = (passTypeId: string) => newPassCertificate({ pem, ...own }, ofType(passTypeId));
    const first = await files('pass.com.example.first');
    const chained = { ...first, certificatePem: first.certificatePem + pem };
    await expect(importCertificate(ctx, ctx.account.id, first)).rejects.toThrow('the issuer is missing (CN=Found)');
    await importCertificate(ctx, ctx.account.id, chained);
    await importCertificate(ctx, ctx.account.id, await files('pass.com.example.second'));
    const stored = await listCertificates(ctx, ctx.account.id);
    expect(stored.map(({ passTypeId }) => passTypeId).sort()).toEqual([
      'pass.com.example.first',
      'pass.com.example.second',
    ]);
    const stranger = await database.accountContext();
    await expect(
      importCertificate(stranger, stranger.account.id, await files('pass.com.example.third')),
    ).rejects.toThrow('missing');
    await importCertificate(ctx, null, { ...(await files('pass.com.example.shared')), intermediatePem: pem });
    await importCertificate(stranger, stranger.account.id, await files('pass.com.example.third'));
  });

  test('says which of Apple’s files has the issuer', async () => {
    const ctx = await database.accountContext();
    const apple = await newIssuer(
      'CN=Apple Worldwide Developer Relations Certification Authority, OU=G4, O=Apple Inc.',
    );
    await expect(importCertificate(ctx, ctx.account.id, await newPassCertificate(apple))).rejects.toThrow(
      'https://www.apple.com/certificateauthority/AppleWWDRCAG4.cer',
    );
  });

  test('stores only the issuer from a longer chain', async () => {
    const ctx = await database.accountContext();
    const other = await newIssuer('CN=Other');
    await importCertificate(ctx, ctx.account.id, { ...(await filesOf()), intermediatePem: other.pem + issuer.pem });
    const { certificate } = await getSigningCertificate(ctx, ctx.account.id);
    expect(certificate.intermediatePem.trim()).toBe(issuer.pem.trim());
  });

  test.each([null, 'account'])(
    'stores a certificate once, even if it is imported twice at once (%s)',
    async (owner) => {
      const ctx = await database.accountContext();
      const accountId = owner && ctx.account.id;
      const files = await filesOf(ofType(`pass.com.example.${owner ?? 'service'}`));
      const imports = await Promise.all(
        [1, 2, 3].map(() => importCertificate({ ...ctx, ...database.context() }, accountId, files)),
      );
      expect(new Set(imports.map(({ certificateId }) => certificateId)).size).toBe(1);
      const stored = (await listCertificates(ctx, accountId)).filter(({ id }) => id === imports[0]?.certificateId);
      expect(stored).toHaveLength(1);
    },
  );

  test.each<[string, PassCertificateFacts, string]>([
    ['without a pass type', { subject: subjectOf('') }, 'certificate: is not a pass certificate'],
    [
      'without a team',
      { subject: subjectOf('pass.com.example.tickets', '') },
      'certificate: its subject has no team identifier',
    ],
    ['for another purpose', { purposes: ['1.3.6.1.5.5.7.3.1'] }, 'does not include client authentication'],
    ['that has expired', { validFromDays: -10, validDays: -1 }, 'certificate: expired on'],
    ['that is not valid yet', { validFromDays: 1 }, 'certificate: is not valid before'],
  ])('rejects a certificate %s', async (_, facts, message) => {
    const ctx = await database.accountContext();
    await expect(importCertificate(ctx, ctx.account.id, await filesOf(facts))).rejects.toThrow(message);
    expect(await listCertificates(ctx, ctx.account.id)).toEqual([]);
  });

  test('rejects the key of another certificate', async () => {
    const ctx = await database.accountContext();
    const [files, other] = [await filesOf(), await filesOf()];
    const mixed = { ...files, privateKeyPem: other.privateKeyPem };
    await expect(importCertificate(ctx, ctx.account.id, mixed)).rejects.toMatchObject({
      message: 'key: does not belong to the certificate',
    });
  });

  test('rejects an issuer of the same name that did not sign it', async () => {
    const ctx = await database.accountContext();
    const name = 'CN=Unknown Issuer, OU=G9';
    const [genuine, impostor] = [await newIssuer(name), await newIssuer(name)];
    const files = { ...(await newPassCertificate(genuine)), intermediatePem: impostor.pem };
    await expect(importCertificate(ctx, ctx.account.id, files)).rejects.toThrow(
      'intermediate: the certificate of the issuer is missing',
    );
  });

  test('asks for the issuer if it is missing, and names it', async () => {
    const ctx = await database.accountContext();
    const files = await newPassCertificate(await newIssuer('CN=Unknown Issuer, OU=G9'));
    await expect(importCertificate(ctx, ctx.account.id, files)).rejects.toThrow(/CN=Unknown Issuer, OU=G9/);
  });

  test('rejects an expired issuer', async () => {
    const ctx = await database.accountContext();
    const expired = await newIssuer('CN=Old', -1);
    const files = { ...(await newPassCertificate(expired)), intermediatePem: expired.pem };
    await expect(importCertificate(ctx, ctx.account.id, files)).rejects.toThrow('intermediate: expired on');
  });

  test('rejects files that are not PEM, and keys that cannot sign passes', async () => {
    const ctx = await database.accountContext();
    const files = await filesOf();
    const ec = generateKeyPairSync('ec', {
      namedCurve: 'P-384',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const attempt = (change: object) => importCertificate(ctx, ctx.account.id, { ...files, ...change });
    await expect(attempt({ certificatePem: 'hello' })).rejects.toThrow('certificate: must be a PEM certificate');
    await expect(attempt({ privateKeyPem: 'hello' })).rejects.toThrow('key: must be an unencrypted private key in PEM');
    // Runs in a separate thread: it can take longer than the database keeps an idle connection open.
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 4104 });
    const passphrase = { cipher: 'aes-256-cbc', passphrase: '' };
    for (const type of ['pkcs8', 'pkcs1'] as const) {
      const privateKeyPem = privateKey.export({ type, format: 'pem', ...passphrase }).toString();
      await expect(attempt({ privateKeyPem })).rejects.toThrow('key: must be an unencrypted private key in PEM');
    }
    for (const privateKeyPem of [ec.privateKey, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()]) {
      await expect(attempt({ privateKeyPem })).rejects.toThrow('key: must be an RSA key of 2048 to 4096 bits or');
    }
  });
});

describe('getSigningCertificate', () => {
  test('returns the requested pass type: the renewed one first, then the account’s own, then the service’s', async () => {
    const ctx = await database.accountContext();
    const pick = async (passTypeId?: string) =>
      (await getSigningCertificate(ctx, ctx.account.id, passTypeId)).certificate.id;
    const add = async (owner: string | null, passTypeId: string, validDays: number) =>
      (await importCertificate(ctx, owner, await filesOf({ ...ofType(passTypeId), validDays }))).certificateId;

    const service = await add(null, 'pass.com.example.shared', 900);
    expect(await pick()).toBe(service);
    expect(await pick('pass.com.example.unknown')).toBe(service);

    const expiring = await add(ctx.account.id, 'pass.com.example.a', 10);
    await add(ctx.account.id, 'pass.com.example.b', 50);
    const renewed = await add(ctx.account.id, 'pass.com.example.a', 30);
    expect(await pick('pass.com.example.a')).toBe(renewed);
    expect(await pick('pass.com.example.a')).not.toBe(expiring);
    expect(await pick('pass.com.example.shared')).toBe(service);
    expect(await pick('pass.com.example.unknown')).toBe(renewed);
    expect(await pick()).toBe(renewed);
  });

  test.each([null, 'account'])('keeps the default pass type until its owner changes it (%s)', async (owner) => {
    await database.d1.prepare('delete from certificates where account_id is null').run();
    const ctx = await database.accountContext();
    const accountId = owner && ctx.account.id;
    const pick = async () => (await getSigningCertificate(ctx, ctx.account.id)).certificate.passTypeId;
    const types = ['first', 'second', 'third'].map((name) => `pass.com.example.${name}-${owner ?? 'service'}`);
    const [first, second, third] = types as [string, string, string];
    const add = async (passTypeId: string, validDays: number, becomesDefault = false) =>
      importCertificate(ctx, accountId, {
        ...(await filesOf({ ...ofType(passTypeId), validDays })),
        default: becomesDefault,
      });
    await add(first, 10);
    await add(second, 500);
    expect(await pick()).toBe(first);
    // As imported before there was a mark: the one that is valid longest is the default, and stays it.
    await database.d1.prepare('update certificates set preferred = 0 where account_id is ?').bind(accountId).run();
    expect(await pick()).toBe(second);
    await add(first, 900);
    expect(await pick()).toBe(second);
    await add(third, 30, true);
    expect(await pick()).toBe(third);
    await add(third, 60);
    const marked = (await listCertificates(ctx, accountId)).filter(({ preferred }) => preferred);
    expect(marked.map(({ passTypeId }) => passTypeId)).toEqual([third, third]);
  });

  test('has one default pass type after 50 imports at the same time', async () => {
    const ctx = await database.accountContext();
    const files = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) => filesOf(ofType(`pass.com.example.at-once-${name}`))),
    );
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        importCertificate({ ...ctx, ...database.context() }, ctx.account.id, files[i % files.length]!),
      ),
    );
    const marks = (await listCertificates(ctx, ctx.account.id)).map(({ preferred }) => preferred);
    expect([marks.length, marks.filter(Boolean).length]).toEqual([5, 1]);
  });

  test('prefers a shared one of the requested pass type to the account’s default', () => {
    const of = (id: string, accountId: string | null, passTypeId: string, preferred = false) =>
      ({ id, accountId, passTypeId, preferred }) as Certificate;
    const rows = [
      of('own', 'a', 'pass.own'),
      of('preferred', 'a', 'pass.preferred', true),
      of('shared', null, 'pass.shared'),
    ];
    const pick = (passTypeId?: string) => chooseCertificate(rows, passTypeId)?.id;
    expect(['pass.shared', 'pass.own', 'pass.unknown', undefined].map(pick)).toEqual([
      'shared',
      'own',
      'preferred',
      'preferred',
    ]);
  });

  test('never returns another account’s certificate', async () => {
    const [owner, stranger] = [await database.accountContext(), await database.accountContext()];
    const imported = await importCertificate(owner, owner.account.id, await filesOf());
    await importCertificate(owner, null, await filesOf(ofType('pass.com.example.fallback')));
    const { certificate } = await getSigningCertificate(stranger, stranger.account.id, 'pass.com.example.tickets');
    expect(certificate.id).not.toBe(imported.certificateId);
    expect(certificate.accountId).toBeNull();
  });

  test('fails if the key was encrypted with another secret', async () => {
    const ctx = await database.accountContext();
    await importCertificate(ctx, ctx.account.id, await filesOf());
    const env = { ...ctx.env, ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') };
    await expect(getSigningCertificate({ ...ctx, env }, ctx.account.id)).rejects.toThrow();
  });
});

describe('a deployment', () => {
  const SHARED = 'pass.com.example.claimed';

  test('accepts only certificates that chain to Apple’s roots', async () => {
    const ctx = await database.accountContext();
    const files = await filesOf(ofType('pass.com.example.made-up'));
    await expect(importDeployed(ctx, ctx.account.id, files)).rejects.toThrow('was not issued by Apple');
    expect(await listCertificates(ctx, ctx.account.id)).toEqual([]);
    await importDeployed(ctx, ctx.account.id, files, [issuer.pem]);
    expect(await listCertificates(ctx, ctx.account.id)).toHaveLength(1);
  });

  test('has Apple’s roots and issuer with the fingerprints that Apple publishes', () => {
    const fingerprints = [...APPLE_ROOTS, APPLE_ISSUER].map((pem) =>
      new X509Certificate(pem).fingerprint256.replaceAll(':', ''),
    );
    expect(fingerprints).toEqual([
      'B0B1730ECBC7FF4505142C49F1295E6EDA6BCAED7E2C68C5BE91B5A11001F024',
      '63343ABFB89A6A03EBB57E9B3F5FA7BE7C4F5C756F3017B3A8C488C3653E9179',
      'EA4757885538DD8CB59FF4556F676087D83C85E70902C122E42C0808B5BCE14C',
    ]);
    expect(new X509Certificate(APPLE_ISSUER).verify(new X509Certificate(APPLE_ROOTS[0]!).publicKey)).toBe(true);
  });

  test('assigns a pass type to one account or the service, even if two import at once', async () => {
    const [first, second] = [await database.accountContext(), await database.accountContext()];
    const files = await filesOf(ofType(SHARED));
    const imports = [first, second].map((ctx) => importDeployed(ctx, ctx.account.id, files, [issuer.pem]));
    const outcomes = await Promise.allSettled([...imports, importDeployed(first, null, files, [issuer.pem])]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    for (const reason of refused) expect(reason).toContain(`the pass type ${SHARED} belongs to another account`);
  });
});
