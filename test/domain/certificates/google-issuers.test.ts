import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listActions } from '../../../src/domain/audit/list-actions.ts';
import { importGoogleIssuer } from '../../../src/domain/certificates/import-google-issuer.ts';
import { getGoogleIssuer } from '../../support/open-certificate.ts';
import { newRsaKeys } from '../../support/rsa-keys.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

async function filesOf(issuerId: string) {
  const { privateKey: privateKeyPem } = await newRsaKeys();
  return { issuerId, clientEmail: 'wallet@example.iam.gserviceaccount.com', privateKeyPem };
}

describe('importGoogleIssuer', () => {
  test.each([
    [{ issuerId: 'abc' }, 'issuerId: must be the issuer ID'],
    [{ clientEmail: 'nobody' }, 'clientEmail: must be'],
    [{ privateKeyPem: 'hello' }, 'privateKeyPem: must be an unencrypted private key in PEM'],
  ])('rejects %o', async (change, message) => {
    const files = { ...(await filesOf('3388000000000000001')), ...change };
    await expect(importGoogleIssuer(database.context(), null, files)).rejects.toThrow(message);
  });
});

describe('getGoogleIssuer', () => {
  test('reports if there is none', async () => {
    const ctx = await database.accountContext();
    await expect(getGoogleIssuer(ctx, ctx.account.id)).rejects.toThrow('No Google Wallet issuer is set up');
  });

  test('returns the account’s newest issuer with its key, otherwise the service’s', async () => {
    const ctx = await database.accountContext();
    const issuerOf = async () => (await getGoogleIssuer(ctx, ctx.account.id)).issuer.issuerId;
    await importGoogleIssuer(ctx, null, await filesOf('3388000000000000001'));
    expect(await issuerOf()).toBe('3388000000000000001');
    await importGoogleIssuer(ctx, ctx.account.id, await filesOf('3388000000000000002'));
    const rotated = await filesOf('3388000000000000003');
    await importGoogleIssuer(ctx, ctx.account.id, rotated);
    const kept = (await listActions(ctx, { action: 'google_issuer.import' }, { limit: 10 })).map(
      ({ action, target }) => `${action} ${target.name}`,
    );
    expect(kept).toEqual(['google_issuer.import 3388000000000000003', 'google_issuer.import 3388000000000000002']);
    const { issuer, privateKeyPem } = await getGoogleIssuer(ctx, ctx.account.id);
    expect(issuer).toMatchObject({ issuerId: '3388000000000000003', accountId: ctx.account.id, development: false });
    expect(privateKeyPem).toBe(rotated.privateKeyPem);
  });
});
