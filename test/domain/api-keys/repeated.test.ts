import { afterAll, beforeAll, expect, test } from 'vitest';
import { authenticate } from '../../../src/domain/api-keys/authenticate.ts';
import { createApiKey } from '../../../src/domain/api-keys/create-api-key.ts';
import { listApiKeys } from '../../../src/domain/api-keys/list-api-keys.ts';
import { rotateApiKey, updateApiKey } from '../../../src/domain/api-keys/manage-api-key.ts';
import { ALL_RIGHTS } from '../../../src/domain/api-keys/rights.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { failingWrite } from '../../support/failing-once.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

/*
 * If a reply was lost, the repeat with the same Idempotency-Key shows the stored value, although only its digest is
 * stored.
 */

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const works = async (apiKey: string) => (await authenticate(database.context(), apiKey)) !== undefined;

/** Runs a request and its repeat. */
function twice(ctx: AccountContext, seed = crypto.randomUUID(), since = Date.now()) {
  const as = (isRepeat: boolean): AccountContext => ({ ...ctx, repeatable: { seed, since, isRepeat } });
  return [as(false), as(true)] as const;
}

test('a key is created once, with one value', async () => {
  const ctx = await database.accountContext();
  const [first, again] = twice(ctx);
  const created = await createApiKey(first, { name: 'Till' });
  expect(await createApiKey(again, { name: 'Till' })).toEqual(created);
  expect(await works(created.apiKey)).toBe(true);
  expect((await listApiKeys(ctx)).filter(({ name }) => name === 'Till')).toHaveLength(1);
});

test('a key is rotated once, and the previous value still works', async () => {
  const ctx = await database.accountContext();
  const { apiKey, apiKeyId } = await createApiKey(ctx, { name: 'Till' });
  const [first, again] = twice(ctx);
  const rotated = await rotateApiKey(first, apiKeyId, { overlapMinutes: 5 }, ALL_RIGHTS);
  expect(await rotateApiKey(again, apiKeyId, { overlapMinutes: 5 }, ALL_RIGHTS)).toEqual(rotated);
  expect([await works(apiKey), await works(rotated.apiKey)]).toEqual([true, true]);
});

test('a rotation that another one has followed is rejected, and ends no value', async () => {
  const ctx = await database.accountContext();
  const { apiKeyId } = await createApiKey(ctx, { name: 'Till' });
  const [first, again] = twice(ctx);
  const { apiKey } = await rotateApiKey(first, apiKeyId, { overlapMinutes: 5 }, ALL_RIGHTS);
  const next = await rotateApiKey(ctx, apiKeyId, { overlapMinutes: 5 }, ALL_RIGHTS);
  const repeated = rotateApiKey(again, apiKeyId, { overlapMinutes: 5 }, ALL_RIGHTS);
  await expect(repeated).rejects.toMatchObject({ kind: 'conflict' });
  expect([await works(apiKey), await works(next.apiKey)]).toEqual([true, true]);
});

test('the same request with the same key returns another value a day later', async () => {
  const ctx = await database.accountContext();
  const { apiKeyId } = await createApiKey(ctx, { name: 'Till' });
  const [today] = twice(ctx, 'seed', Date.now());
  const [tomorrow] = twice(ctx, 'seed', Date.now() + 86_400_000);
  const one = await rotateApiKey(today, apiKeyId, { overlapMinutes: 0 }, ALL_RIGHTS);
  const other = await rotateApiKey(tomorrow, apiKeyId, { overlapMinutes: 0 }, ALL_RIGHTS);
  expect(other.apiKey).not.toBe(one.apiKey);
});

test.for(['before', 'after'] as const)(
  'after an error %s the write, there is one key, and its value is returned',
  async (when) => {
    const ctx = await database.accountContext();
    const lost = { message: 'D1_ERROR: Network connection lost.', isDead: false };
    const failing = { ...ctx, ...openDatabase(failingWrite(database.d1, when, lost)), identifiers: new Map() };
    const { apiKey } = await createApiKey(failing, { name: 'Till' });
    expect(await works(apiKey)).toBe(true);
    expect((await listApiKeys(ctx)).filter(({ name }) => name === 'Till')).toHaveLength(1);
  },
);

test('a change of permissions in between is not silently overwritten', async () => {
  const ctx = await database.accountContext();
  const { apiKeyId } = await createApiKey(ctx, { name: 'Till', scopes: ['passes:read', 'keys:manage'] });
  const own = { ...ALL_RIGHTS, scopes: ['passes:read' as const, 'keys:manage' as const] };
  const [weak, strong] = await Promise.allSettled([
    updateApiKey(ctx, apiKeyId, { name: 'Weak' }, own),
    updateApiKey(ctx, apiKeyId, { scopes: ['*'] }, ALL_RIGHTS),
  ]);
  expect(strong.status).toBe('fulfilled');
  const [key] = (await listApiKeys(ctx)).filter(({ id }) => id === apiKeyId);
  // The second one saw the result of the first.
  expect(key!.scopes).toEqual(['*']);
  expect(key!.name).toBe(weak.status === 'fulfilled' ? 'Weak' : 'Till');
});
