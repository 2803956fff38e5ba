import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../../../src/domain/accounts/create-account.ts';
import { actForAccount, listAccounts } from '../../../src/domain/accounts/find-account.ts';
import { authenticate } from '../../../src/domain/api-keys/authenticate.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

describe('createAccount', () => {
  test('returns a key that authenticates as the new account', async () => {
    const created = await createAccount(database.context(), { name: '  Lindhof  ', timezone: 'Europe/Berlin' });
    expect(created.apiKey).toMatch(/^pk_[A-Za-z0-9]{16}_[A-Za-z0-9_-]{43}$/);
    const caller = await authenticate(database.context(), created.apiKey);
    expect(caller).toMatchObject({
      apiKeyId: created.apiKeyId,
      account: { id: created.account.id, name: 'Lindhof', timezone: 'Europe/Berlin', language: 'en' },
    });
  });

  test('uses UTC if no time zone is given', async () => {
    const { account } = await createAccount(database.context(), { name: 'Plain' });
    expect(account.timezone).toBe('UTC');
  });

  test.each([
    [{ name: ' ' }, 'name: must not be empty'],
    [{ name: 'A', timezone: '+05:30' }, 'timezone: must be an IANA time zone such as Europe/Berlin'],
    [{ name: 'A', timezone: 'Europe/Atlantis' }, 'timezone: must be an IANA time zone such as Europe/Berlin'],
  ])('rejects %o and stores nothing', async (input, message) => {
    const before = await listAccounts(database.context());
    await expect(createAccount(database.context(), input)).rejects.toMatchObject({
      kind: 'invalid',
      message,
    });
    expect(await listAccounts(database.context())).toEqual(before);
  });
});

describe('actForAccount', () => {
  test('finds no account for an unknown identifier', async () => {
    await expect(actForAccount(database.context(), crypto.randomUUID())).rejects.toMatchObject({ kind: 'not_found' });
  });
});
