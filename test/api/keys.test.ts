import { expect, test } from 'vitest';
import { admin, clientOf, freshAccount, send } from '../support/api.ts';
import { d1, eventually } from '../support/control.ts';

const PATH = '/api/pass-template';

/** An account with a second key, for the test to change freely. */
async function accountWithKey() {
  const owner = await freshAccount();
  const key = await admin<{ apiKey: string; apiKeyId: string }>('api-key create', {
    account: owner.accountId,
    name: 'Second',
  });
  return { owner, key, client: clientOf(owner.accountId, key.apiKey) };
}

test('a key has the form pk_<16 characters>_<43 characters>, and only a digest of it is stored', async () => {
  const { key } = await accountWithKey();
  const [, lookup, secret] = /^pk_([A-Za-z0-9]{16})_([\w-]{43})$/.exec(key.apiKey)!;
  const [row] = await d1('select * from api_keys where id = ?', [key.apiKeyId]);
  expect(row).toMatchObject({ lookup, secret_digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(JSON.stringify(row)).not.toContain(secret);
});

test('a key is rejected from the moment it expires', async () => {
  const { key, client } = await accountWithKey();
  const expire = (at: number) => d1('update api_keys set expires_at = ? where id = ?', [at, key.apiKeyId]);
  await expire(Date.now() + 60_000);
  expect((await client.get(PATH)).status).toBe(200);
  await expire(Date.now());
  expect((await client.get(PATH)).status).toBe(401);
});

test('the last use is recorded once a minute, and never before the reply', async () => {
  const { key, client } = await accountWithKey();
  const lastUsed = async () =>
    (await d1<{ at: number | null }>('select last_used_at as at from api_keys where id = ?', [key.apiKeyId]))[0]!.at;
  expect(await lastUsed()).toBeNull();
  const before = Date.now();
  await client.get(PATH);
  const first = await eventually(lastUsed);
  expect(first).toBeGreaterThanOrEqual(before);
  await client.get(PATH);
  expect(await lastUsed()).toBe(first);
  await d1('update api_keys set last_used_at = last_used_at - 60001 where id = ?', [key.apiKeyId]);
  await client.get(PATH);
  await eventually(async () => (await lastUsed())! >= first);
});

test('every operation needs the header: a key in a query string or cookie does not count', async () => {
  const { key } = await accountWithKey();
  expect((await send('GET', `${PATH}?Authorization=${key.apiKey}&apiKey=${key.apiKey}`)).status).toBe(401);
  expect((await send('GET', PATH, undefined, { Cookie: `Authorization=${key.apiKey}` })).status).toBe(401);
});
