import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authenticate, touchApiKey } from '../../../src/domain/api-keys/authenticate.ts';
import { createApiKey } from '../../../src/domain/api-keys/create-api-key.ts';
import { deleteUnusedApiKeys } from '../../../src/domain/api-keys/delete-unused-api-keys.ts';
import { getAccountIdOfApiKey, listApiKeys } from '../../../src/domain/api-keys/list-api-keys.ts';
import { deleteApiKey, rotateApiKey } from '../../../src/domain/api-keys/manage-api-key.ts';
import { ALL_RIGHTS } from '../../../src/domain/api-keys/rights.ts';
import { setApiKeyActive } from '../../../src/domain/api-keys/set-api-key-active.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

const works = async (apiKey: string) => (await authenticate(database.context(), apiKey)) !== undefined;

describe('createApiKey', () => {
  test('stores a digest and never the secret', async () => {
    const ctx = await database.accountContext();
    const { apiKey, apiKeyId } = await createApiKey(ctx, { name: 'Till' });
    const row = await database.d1.prepare('select * from api_keys where id = ?').bind(apiKeyId).first();
    const secret = apiKey.slice(-43);
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(row).toMatchObject({ name: 'Till', account_id: ctx.account.id, active: 1, last_used_at: null });
  });

  test('rejects an empty name', async () => {
    const ctx = await database.accountContext();
    await expect(createApiKey(ctx, { name: '' })).rejects.toMatchObject({ message: 'name: must not be empty' });
  });
});

describe('authenticate', () => {
  test('reads the key at the primary whatever state the caller requests, and counts it for the request', async () => {
    const { apiKey } = await createApiKey(await database.accountContext(), { name: 'Till' });
    const ctx = database.context();
    const asked: unknown[] = [];
    const withSession = (from: string) => {
      asked.push(from);
      return database.d1.withSession(from);
    };
    const env = { ...ctx.env, DB: { ...database.d1, withSession } as D1Database };
    const stateAsked = '00000001-00000001-00000001-0123456789abcdef0123456789abcdef';
    expect(await authenticate({ ...ctx, env, stateAsked }, apiKey)).toBeDefined();
    expect(asked[0]).toBe('first-primary');
    expect(ctx.meter.roundTrips).toBe(1);
  });
});

describe('a rotated key', () => {
  test('is found by either value in one round trip, which reads as many rows as before', async () => {
    const ctx = await database.accountContext();
    const { apiKey, apiKeyId } = await createApiKey(ctx, { name: 'Till' });
    const costOf = async (value: string) => {
      const { meter, ...context } = database.context();
      expect(await authenticate({ ...context, meter }, value)).toMatchObject({ apiKeyId });
      return { roundTrips: meter.roundTrips, rowsRead: meter.rowsRead };
    };
    const before = await costOf(apiKey);
    expect(before.roundTrips).toBe(1);
    const rotated = await rotateApiKey(ctx, apiKeyId, { overlapMinutes: 5 }, ALL_RIGHTS);
    expect([await costOf(apiKey), await costOf(rotated.apiKey)]).toEqual([before, before]);
    expect(await works(`${apiKey.slice(0, 20)}${'A'.repeat(43)}`)).toBe(false);
  });
});

describe('setApiKeyActive', () => {
  test('takes effect with the next request, both ways', async () => {
    const ctx = await database.accountContext();
    const { apiKey, apiKeyId } = await createApiKey(ctx, { name: 'Till' });
    await setApiKeyActive(ctx, apiKeyId, false);
    expect(await works(apiKey)).toBe(false);
    await setApiKeyActive(ctx, apiKeyId, true);
    expect(await works(apiKey)).toBe(true);
  });
});

describe('another account', () => {
  test('can neither see, switch nor delete a key', async () => {
    const [owner, stranger] = [await database.accountContext(), await database.accountContext()];
    const { apiKey, apiKeyId } = await createApiKey(owner, { name: 'Till' });
    expect((await listApiKeys(stranger)).map(({ id }) => id)).not.toContain(apiKeyId);
    await expect(setApiKeyActive(stranger, apiKeyId, false)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(deleteApiKey(stranger, apiKeyId)).rejects.toMatchObject({ kind: 'not_found' });
    await deleteUnusedApiKeys(stranger);
    expect(await works(apiKey)).toBe(true);
    expect(await getAccountIdOfApiKey(stranger, apiKeyId)).toBe(owner.account.id);
  });
});

describe('deleteApiKey', () => {
  test('deletes a key permanently', async () => {
    const ctx = await database.accountContext();
    const { apiKey, apiKeyId } = await createApiKey(ctx, { name: 'Till' });
    await deleteApiKey(ctx, apiKeyId);
    expect(await works(apiKey)).toBe(false);
    await expect(deleteApiKey(ctx, apiKeyId)).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('deleteUnusedApiKeys', () => {
  test('deletes the keys that were never used and keeps the others', async () => {
    const ctx = await database.accountContext();
    const used = await createApiKey(ctx, { name: 'used' });
    await createApiKey(ctx, { name: 'unused' });
    await touchApiKey(ctx.db, used.apiKeyId, Date.now(), 60_000);
    // The account's own first key was unused, too.
    expect(await deleteUnusedApiKeys(ctx)).toBe(2);
    expect((await listApiKeys(ctx)).map(({ id }) => id)).toEqual([used.apiKeyId]);
    expect(await deleteUnusedApiKeys(ctx)).toBe(0);
  });

  test('never deletes a key whose use was recorded, even if both race', async () => {
    const ctx = await database.accountContext();
    await deleteUnusedApiKeys(ctx);
    const keys = await Promise.all(Array.from({ length: 8 }, (_, i) => createApiKey(ctx, { name: `key ${i}` })));
    const uses = keys.map(({ apiKeyId }) => touchApiKey(database.context().db, apiKeyId, Date.now(), 60_000));
    const deletions = [deleteUnusedApiKeys(ctx), deleteUnusedApiKeys({ ...ctx, ...database.context() })];
    const deleted = (await Promise.all(deletions)).reduce((sum, count) => sum + count);
    await Promise.all(uses);
    const left = await listApiKeys(ctx);
    expect(left.length + deleted).toBe(keys.length);
    expect(left.every(({ lastUsedAt }) => lastUsedAt !== null)).toBe(true);
  });
});
