import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listCertificates } from '../../../src/domain/certificates/manage-certificates.ts';
import { openPushSecret, type PushOptions, setPushSettings } from '../../../src/domain/certificates/push-settings.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { getSigningCertificate } from '../../support/open-certificate.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { type Issuer, importCertificate, newIssuer, newPassCertificate, subjectOf } from './pass-certificates.ts';

const PASS_TYPE_ID = 'pass.com.example.tickets';
const RELAY = {
  'relay-url': 'https://relay.example.com',
  'relay-token': 'a relay token of its own'.replaceAll(' ', '-'),
};

let database: LocalDatabase;
let issuer: Issuer;
let ctx: AccountContext;
let certificateId: string;
beforeAll(async () => {
  [database, issuer] = await Promise.all([openMemoryDatabase(), newIssuer('CN=Example Issuer, OU=G9')]);
  ctx = await database.accountContext();
  certificateId = await importFor(ctx);
});
afterAll(() => database.close());

async function importFor({ account }: AccountContext, validDays = 100): Promise<string> {
  const files = await newPassCertificate(issuer, { subject: subjectOf(PASS_TYPE_ID), validDays });
  const input = { ...files, intermediatePem: issuer.pem };
  return (await importCertificate(database.context(), account.id, input)).certificateId;
}

const certificateOf = async (of = ctx) => (await getSigningCertificate(of, of.account.id, PASS_TYPE_ID)).certificate;
const keyPem = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('setPushSettings', () => {
  test('stores a relay with its token encrypted, and shows it without the token', async () => {
    const set = await setPushSettings(ctx, certificateId, RELAY);
    expect(set).toEqual({ certificateId, passTypeId: PASS_TYPE_ID, push: 'relay https://relay.example.com' });
    const certificate = await certificateOf();
    expect(certificate.push).toEqual({ kind: 'relay', url: RELAY['relay-url'], tokenSealed: expect.any(String) });
    expect(JSON.stringify(certificate)).not.toContain(RELAY['relay-token']);
    const { tokenSealed } = certificate.push as { tokenSealed: string };
    expect(await openPushSecret(ctx.env, certificate, tokenSealed)).toBe(RELAY['relay-token']);
    // A copy for another owner or pass type can't be decrypted.
    for (const owner of [{ accountId: null }, { passTypeId: 'pass.com.example.other' }]) {
      await expect(openPushSecret(ctx.env, { ...certificate, ...owner }, tokenSealed)).rejects.toThrow();
    }
  });

  test('stores a provider key encrypted, by default for the certificate’s team', async () => {
    const p8 = keyPem('P-256');
    const set = await setPushSettings(ctx, certificateId, { p8, 'key-id': 'ABC123DEFG' });
    expect(set.push).toBe('key ABC123DEFG of team TEAM012345');
    const certificate = await certificateOf();
    const { keySealed } = certificate.push as { keySealed: string };
    expect(await openPushSecret(ctx.env, certificate, keySealed)).toBe(p8);
    const other = await setPushSettings(ctx, certificateId, { p8, 'key-id': 'ABC123DEFG', 'team-id': 'OTHERTEAM0' });
    expect(other.push).toBe('key ABC123DEFG of team OTHERTEAM0');
  });

  test('stores the name of an mTLS binding, and clears everything with none', async () => {
    expect((await setPushSettings(ctx, certificateId, { 'mtls-binding': 'APNS_TICKETS' })).push).toBe(
      'mTLS binding APNS_TICKETS',
    );
    expect((await setPushSettings(ctx, certificateId, { none: true })).push).toBeNull();
    expect((await certificateOf()).push).toBeNull();
  });

  test('applies to all certificates of the owner and pass type, including later ones, and to nobody else', async () => {
    const [own, foreign] = await Promise.all([database.accountContext(), database.accountContext()]);
    const [first, second] = [await importFor(own, 100), await importFor(own, 200)];
    await importFor(foreign);
    await setPushSettings(own, first, { 'mtls-binding': 'APNS_TICKETS' });
    const third = await importFor(own, 300);
    const listed = await listCertificates(own, own.account.id);
    expect(listed.map(({ id }) => id)).toEqual([third, second, first]);
    expect(new Set(listed.map(({ push }) => JSON.stringify(push)))).toEqual(
      new Set(['{"kind":"mtls","binding":"APNS_TICKETS"}']),
    );
    expect((await certificateOf(foreign)).push).toBeNull();
  });

  test.each<[PushOptions, string]>([
    [{}, 'Use exactly one of --relay-url, --mtls-binding, --p8 and --none'],
    [{ ...RELAY, none: true }, 'Use exactly one of --relay-url, --mtls-binding, --p8 and --none'],
    [{ 'relay-url': RELAY['relay-url'] }, 'relay-token: is required'],
    [{ ...RELAY, 'relay-token': 'short' }, 'relay-token: must be 20 to 500 visible ASCII characters'],
    [{ ...RELAY, 'relay-url': 'http://relay.example.com' }, 'relay-url: the URL must begin with https://'],
    [{ ...RELAY, 'relay-url': 'https://127.0.0.1' }, 'relay-url: the URL names a private, local or reserved address'],
    [{ ...RELAY, 'key-id': 'ABC123DEFG' }, 'key-id: can be used only with p8'],
    [{ 'mtls-binding': 'lower case' }, 'mtls-binding: must be the name of a binding'],
    [{ p8: 'no key', 'key-id': 'ABC123DEFG' }, 'p8: must be an unencrypted private key in PEM'],
    [{ p8: keyPem('P-384'), 'key-id': 'ABC123DEFG' }, 'p8: must be a key on the elliptic curve P-256'],
    [{ p8: keyPem('P-256') }, 'key-id: is required'],
    [{ p8: keyPem('P-256'), 'key-id': 'short' }, 'key-id: must be ten capital letters and digits'],
  ])('rejects %o and changes nothing', async (options, message) => {
    const before = await certificateOf();
    await expect(setPushSettings(ctx, certificateId, options)).rejects.toThrow(message);
    expect(await certificateOf()).toEqual(before);
  });

  test('accepts a relay on this machine only if local targets are allowed', async () => {
    const local = { ...RELAY, 'relay-url': 'http://127.0.0.1:8100' };
    await expect(setPushSettings(ctx, certificateId, local)).rejects.toThrow('relay-url:');
    const env = { ...ctx.env, ADMIN_TOKEN: 'local', ALLOW_LOCAL_TARGETS: 'true' };
    const set = await setPushSettings({ ...ctx, env }, certificateId, local);
    expect(set.push).toBe('relay http://127.0.0.1:8100');
  });

  test('does not find an unknown certificate', async () => {
    await expect(setPushSettings(ctx, 'nothing', { none: true })).rejects.toThrow('Object not found');
  });
});
