import { beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../../src/domain/api-keys/scopes.ts';
import { admin, type Client, clientOf, freshAccount, send } from '../../support/api.ts';
import { auditEntries } from '../../support/audit.ts';
import { d1 } from '../../support/control.ts';

const PATH = '/api/v3/api-key';
const TEMPLATES = '/api/pass-template';
const IN_AN_HOUR = () => new Date(Date.now() + 3_600_000).toISOString();

let client: Client;
let [one, two] = ['', ''];
beforeAll(async () => {
  client = await freshAccount();
  [one, two] = [await client.createTemplate(), await client.createTemplate()];
});

/** Creates a key as `by`. Returns it as a caller, with the reply. */
async function created(fields: object, by = client) {
  const { status, body } = await by.post(PATH, { name: 'Key', ...fields });
  expect([status, body.errors]).toEqual([201, []]);
  return { ...clientOf(client.accountId, body.data.apiKey), ...body.data } as Client & Record<string, string>;
}

const works = async (apiKey: string, headers = {}) =>
  (await send('GET', TEMPLATES, undefined, { Authorization: apiKey, ...headers })).status;

describe('POST', () => {
  test('creates a key with all scopes, and shows its value once', async () => {
    const key = await created({ name: 'Shop' });
    expect(key).toMatchObject({ name: 'Shop', scopes: ['*'], templateIds: null, allowedIps: null, expiresAt: null });
    expect(await works(key.apiKey)).toBe(200);
    const listed = (await client.get(PATH)).body.data;
    expect(listed[0]).toMatchObject({ identifier: key.identifier, name: 'Shop' });
    expect(JSON.stringify(listed)).not.toContain(key.apiKey.slice(-43));
  });

  test('shows who created it', async () => {
    const first = await created({});
    const second = await created({ name: 'Second' }, clientOf(client.accountId, first.apiKey));
    expect(second.createdBy).toEqual({ type: 'api_key', id: first.identifier, name: 'Key' });
    const made = await admin<{ apiKeyId: string }>('api-key create', { account: client.accountId, name: 'Operators' });
    const listed = (await client.get(PATH)).body.data;
    const found = listed.find(({ identifier }: { identifier: string }) => identifier === made.apiKeyId);
    expect(found.createdBy).toEqual({ type: 'operator', id: null, name: 'operator' });
  });

  test('stores limits in normalized form', async () => {
    const expiresAt = IN_AN_HOUR();
    const allowedIps = ['203.0.113.0/24', '2001:DB8::/32', '203.0.113.0/24'];
    const key = await created({ scopes: ['templates:read'], templateIds: [one, one], allowedIps, expiresAt });
    expect(key).toMatchObject({
      scopes: ['templates:read'],
      templateIds: [one],
      allowedIps: ['203.0.113.0/24', '2001:db8::/32'],
      expiresAt,
    });
  });

  test.for([
    [{ name: '' }, 'name'],
    [{ scopes: ['passes'] }, 'scopes.0'],
    [{ scopes: ['*', 'passes:read'] }, 'scopes'],
    [{ templateIds: [] }, 'templateIds'],
    [{ templateIds: ['nobody'] }, 'templateIds'],
    [{ templateIds: Array.from({ length: 101 }, String) }, 'templateIds'],
    [{ allowedIps: ['localhost'] }, 'allowedIps.0'],
    [{ allowedIps: Array.from({ length: 21 }, (_, i) => `203.0.113.${i}`) }, 'allowedIps'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
  ] as const)('rejects %j', async ([fields, field]) => {
    const { status, body } = await client.post(PATH, { name: 'Key', ...fields });
    expect(status).toBe(400);
    expect(body.errors[0].split(':')[0]).toBe(field);
  });

  test('accepts 100 templates and 20 addresses', async () => {
    const templateIds = Array.from({ length: 100 }, () => one);
    await created({ templateIds, allowedIps: Array.from({ length: 20 }, (_, i) => `203.0.113.${i}`) });
  });

  test('repeated under one Idempotency-Key creates one key with one value', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const post = () => client.post(PATH, { name: 'Repeated' }, headers);
    const [first, second] = [await post(), await post()];
    expect(second.body).toEqual(first.body);
    const stored = await d1('select body from idempotency_keys where account_id = ? and key = ?', [
      client.accountId,
      headers['Idempotency-Key'],
    ]);
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(first.body.data.apiKey);
    expect(
      await d1("select id from api_keys where account_id = ? and name = 'Repeated'", [client.accountId]),
    ).toHaveLength(1);
  });
});

describe('an address', () => {
  test('outside of the list gets 403 before any other check', async () => {
    const key = await created({ allowedIps: ['203.0.113.0/24', '2001:db8::/32'] });
    const from = (ip: string) => works(key.apiKey, { 'CF-Connecting-IP': ip });
    expect([await from('203.0.113.9'), await from('2001:db8::9')]).toEqual([200, 200]);
    for (const ip of ['198.51.100.1', '2001:db9::1']) {
      const headers = { Authorization: key.apiKey, 'CF-Connecting-IP': ip };
      const refused = await send('GET', '/api/v3/pass/unknown', undefined, headers);
      expect([refused.status, refused.body.errors]).toEqual([403, ['address not allowed']]);
    }
  });
});

describe('permissions', () => {
  test('never exceed those of the key that grants them', async () => {
    const limits = {
      scopes: ['keys:manage', 'passes:write'],
      templateIds: [one],
      allowedIps: ['0.0.0.0/0', '::/0'],
      expiresAt: IN_AN_HOUR(),
    };
    const key = await created(limits);
    const within = { ...limits, scopes: ['passes:read'] };
    await created(within, key);
    for (const beyond of [
      { scopes: ['templates:read'] },
      { scopes: ['*'] },
      { scopes: undefined },
      { templateIds: [one, two] },
      { templateIds: ['nobody'] },
      { templateIds: null },
      { expiresAt: null },
      { expiresAt: new Date(Date.now() + 7_200_000).toISOString() },
      { allowedIps: null },
    ]) {
      const { status } = await key.post(PATH, { name: 'Beyond', ...within, ...beyond });
      expect([beyond, status]).toEqual([beyond, 403]);
    }
  });

  test('of another key protect it from a key with fewer', async () => {
    const weak = await created({ scopes: ['keys:manage'] });
    const strong = await created({});
    const path = `${PATH}/${strong.identifier}` as const;
    expect((await weak.patch(path, { name: 'Mine' })).status).toBe(403);
    expect((await weak.patch(path, { active: false })).status).toBe(403);
    expect((await weak.post(`${path}/rotate`, {})).status).toBe(403);
    expect((await weak.delete(path)).status).toBe(403);
    expect((await weak.patch(`${PATH}/${weak.identifier}`, { scopes: ['*'] })).status).toBe(403);
    expect((await weak.post(`${PATH}/${weak.identifier}/rotate`, { overlapMinutes: 5 })).status).toBe(200);
    expect(await works(strong.apiKey)).toBe(200);
  });

  test('need keys:manage', async () => {
    const key = await created({ scopes: SCOPES.filter((scope) => scope !== 'keys:manage') });
    const { status, body } = await key.get(PATH);
    expect([status, body.errors]).toEqual([403, ['missing scope: keys:manage']]);
  });
});

describe('PATCH', () => {
  test('changes what is sent, from the next request on, with one entry in the audit log', async () => {
    const key = await created({ scopes: ['templates:read'] });
    const path = `${PATH}/${key.identifier}` as const;
    const patch = async (fields: object) => (await client.patch(path, fields)).body.data;
    expect(await patch({ active: false })).toMatchObject({ active: false, scopes: ['templates:read'] });
    expect(await works(key.apiKey)).toBe(401);
    expect(await patch({ active: true, templateIds: [two], name: 'New' })).toMatchObject({
      templateIds: [two],
      name: 'New',
    });
    expect((await key.get(TEMPLATES)).body).toHaveLength(1);
    expect(await patch({ templateIds: null })).toMatchObject({ templateIds: null });
    await patch({ templateIds: null });
    const entries = (await auditEntries(client.accountId)).filter(({ target_id }) => target_id === key.identifier);
    expect(entries.map(({ action }) => action)).toEqual(['api_key.create', ...Array(3).fill('api_key.update')]);
    expect(JSON.parse(entries.at(-1)!.changes!)).toEqual([{ field: 'templateIds', old: [two], new: null }]);
  });

  test('of an unknown or foreign key returns 404', async () => {
    const stranger = await freshAccount();
    const key = await created({});
    for (const id of [key.identifier, crypto.randomUUID(), 'x']) {
      expect((await stranger.patch(`${PATH}/${id}`, { name: 'Mine' })).status).toBe(404);
      expect((await stranger.post(`${PATH}/${id}/rotate`)).status).toBe(404);
      expect((await stranger.delete(`${PATH}/${id}`)).status).toBe(404);
    }
  });
});

describe('rotate', () => {
  const rotate = async (id: string, body?: object) => (await client.post(`${PATH}/${id}/rotate`, body)).body.data;

  test('returns a new value; the old one works for a day, and ends with the next rotation', async () => {
    const key = await created({});
    const first = await rotate(key.identifier!);
    const hours = (Date.parse(first.previousValueExpiresAt) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    expect([await works(key.apiKey), await works(first.apiKey)]).toEqual([200, 200]);
    const second = await rotate(key.identifier!, { overlapMinutes: 10_080 });
    expect([await works(key.apiKey), await works(first.apiKey), await works(second.apiKey)]).toEqual([401, 200, 200]);
    await d1('update api_keys set previous_until = ? where id = ?', [Date.now(), key.identifier!]);
    expect([await works(first.apiKey), await works(second.apiKey)]).toEqual([401, 200]);
  });

  test('without overlap ends the old value at once', async () => {
    const key = await created({});
    const { apiKey, previousValueExpiresAt } = await rotate(key.identifier!, { overlapMinutes: 0 });
    expect(previousValueExpiresAt).toBeNull();
    expect([await works(key.apiKey), await works(apiKey)]).toEqual([401, 200]);
  });

  test.for([-1, 10_081, 1.5, '5'])('rejects an overlap of %s', async (overlapMinutes) => {
    const key = await created({});
    expect((await client.post(`${PATH}/${key.identifier}/rotate`, { overlapMinutes })).status).toBe(400);
    expect(await works(key.apiKey)).toBe(200);
  });

  test('fifty at once leaves two values that work', async () => {
    const key = await created({});
    const rotated = await Promise.all(Array.from({ length: 50 }, () => rotate(key.identifier!)));
    const values = [key.apiKey, ...rotated.map(({ apiKey }) => apiKey)];
    expect(new Set(values).size).toBe(51);
    const statuses = await Promise.all(values.map((value) => works(value)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
  });

  test('repeated under one Idempotency-Key rotates once', async () => {
    const key = await created({});
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const post = () => client.post(`${PATH}/${key.identifier}/rotate`, {}, headers);
    const [first, second] = [await post(), await post()];
    expect(second.body).toEqual(first.body);
    expect([await works(key.apiKey), await works(first.body.data.apiKey)]).toEqual([200, 200]);
  });
});

describe('DELETE', () => {
  test('ends a key, also its own', async () => {
    const key = await created({});
    expect((await key.delete(`${PATH}/${key.identifier}`)).status).toBe(200);
    expect(await works(key.apiKey)).toBe(401);
  });
});

describe('GET', () => {
  test('lists in pages, newest first', async () => {
    const account = await freshAccount();
    for (const name of ['A', 'B']) await account.post(PATH, { name });
    const page = async (query: string) => (await account.get(`${PATH}?${query}`)).body.data;
    const [newest] = await page('pageSize=1');
    expect(newest.name).toBe('B');
    const rest = await page(`pageSize=2&startUid=${newest.identifier}`);
    expect(rest.map(({ name }: { name: string }) => name)).toEqual(['A', 'Default']);
  });

  test('shows a restricted key only keys for its templates', async () => {
    const key = await created({ templateIds: [two], scopes: ['keys:manage', 'passes:read'] });
    const twin = await created({ templateIds: [two], scopes: ['passes:read'] }, key);
    const listed = (await key.get(PATH)).body.data.map(({ identifier }: { identifier: string }) => identifier);
    expect(listed).toEqual([twin.identifier, key.identifier]);
  });
});

test('api-key create accepts scopes, templates, addresses and an expiry', async () => {
  const { apiKeyId } = await admin<{ apiKeyId: string }>('api-key create', {
    account: client.accountId,
    name: 'Gate',
    scope: ['scans:write'],
    template: [one, two],
    'allow-ip': ['203.0.113.0/24', '2001:db8::1'],
    expires: '2099-12-31',
  });
  const [key] = (await client.get(PATH)).body.data;
  expect(key).toMatchObject({
    identifier: apiKeyId,
    scopes: ['scans:write'],
    templateIds: [one, two],
    allowedIps: ['203.0.113.0/24', '2001:db8::1'],
    expiresAt: expect.stringMatching(/^(2099-12-31|2100-01-01)T/),
  });
});
