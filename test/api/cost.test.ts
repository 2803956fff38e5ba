import { beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, freshAccount, send } from '../support/api.ts';
import { costOf, d1 } from '../support/control.ts';
import { COPIED_PASS, copyRow } from '../support/copy-row.ts';

/* The D1 cost of an operation doesn't depend on the machine, so it is tested here; durations are in bench/. */

const ROWS = 2_000;

let client: Client;
let templateId: string;
let identifier: string;

beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
  identifier = (await client.createPass(templateId, { userProvidedId: 'one' })).identifier;
  await multiply(identifier, ROWS);
});

/** Copies a pass many times with the same userProvidedId and barcode value, so that lookups find many rows. */
async function multiply(id: string, rows: number): Promise<void> {
  const own = { ...COPIED_PASS, user_provided_id: "'crowd'", barcode_value: "'crowd-code'" };
  await copyRow(d1, { table: 'passes', where: 'id = ?', params: [id], rows, own });
  await d1('update templates set pass_count = pass_count + ? where id = ?', [rows, templateId]);
}

describe('a read takes one round trip and at most eight rows', () => {
  test.each(['one', 'crowd', 'crowd-code', 'nobody'])('by the name %s', async (name) => {
    const cost = await costOf(await client.get(`/api/pass/${name}`));
    expect(cost.roundTrips).toBe(1);
    expect(cost.rowsRead).toBeLessThanOrEqual(8);
  });

  test('by identifier, in v3', async () => {
    // Chooses among the service's issuers: one here, plus any from other files. An index lookup also counts the entry
    // after its matches: an account's after the service's, and after its own.
    const [issuers] = await d1<{ others: number }>(
      `select count(*) - 1 + exists (select 1 from google_issuers where account_id is not null)
         + exists (select 1 from google_issuers where account_id > ?) as others
       from google_issuers where account_id is null`,
      [client.accountId],
    );
    const cost = await costOf(await client.get(`/api/v3/pass/${identifier}`));
    expect(cost.roundTrips).toBe(1);
    expect(cost.rowsRead).toBeLessThanOrEqual(8 + issuers!.others);
  });
});

describe('a key', () => {
  const keyWith = (scope: string) =>
    admin<{ apiKey: string; apiKeyId: string }>('api-key create', {
      account: client.accountId,
      name: 'k',
      scope: [scope],
    });
  const list = (apiKey: string) =>
    send('GET', `/api/pass/list/${templateId}?pageSize=100`, undefined, { Authorization: apiKey });

  test.each([
    ['without the scope', 'scopes = \'["scans:write"]\'', 403],
    ['that is inactive', 'active = 0', 401],
    ['that has expired', 'expires_at = 1', 401],
    ['with another secret', "secret_digest = 'x'", 401],
    ['that was rotated too long ago', "previous_digest = secret_digest, previous_until = 1, secret_digest = 'x'", 401],
  ])('%s is refused in one round trip that reads no pass', async (_, state, status) => {
    const { apiKey, apiKeyId } = await keyWith('passes:read');
    expect((await costOf(await list(apiKey))).rowsRead).toBeGreaterThan(100);
    await d1(`update api_keys set ${state} where id = ?`, [apiKeyId]);
    const refused = await list(apiKey);
    expect(refused.status).toBe(status);
    const cost = await costOf(refused);
    expect(cost.roundTrips).toBe(1);
    expect(cost.rowsRead).toBeLessThanOrEqual(10);
  });

  test('with a broader scope, an expiry and its previous value reads like others', async () => {
    const { apiKey, apiKeyId } = await keyWith('passes:write');
    const later = Date.now() + 60_000;
    await d1(
      "update api_keys set previous_digest = secret_digest, previous_until = ?, secret_digest = 'x', expires_at = ? where id = ?",
      [later, later, apiKeyId],
    );
    const [listed, own] = [await list(apiKey), await list(client.apiKey)];
    expect(listed.body).toEqual(own.body);
    expect(await costOf(listed)).toMatchObject({ roundTrips: 1, rowsRead: (await costOf(own)).rowsRead });
    const read = await send('GET', `/api/v3/pass/${identifier}`, undefined, { Authorization: apiKey });
    expect(read.body.data.identifier).toBe(identifier);
  });
});

test('an asynchronous create takes two round trips, and no rows in proportion to the table', async () => {
  const cost = await costOf(await client.post('/api/v3/pass', { data: { templateId, userProvidedId: 'cheap' } }));
  expect(cost.roundTrips).toBe(2);
  // A lookup of the account's webhooks also counts the next index entry, which is another account's.
  expect(cost.rowsRead).toBeLessThanOrEqual(19);
  expect(cost.rowsWritten).toBeLessThanOrEqual(10);
});

test('an update takes two round trips and few rows', async () => {
  const { identifier: id } = await client.createPass(templateId, { userProvidedId: 'updated' });
  const updates = [
    await client.patch(`/api/v3/pass/${id}`, { data: { barcodeAlternativeText: 'Row 7' } }),
    await client.post(`/api/v3/pass/${id}`, { data: { userProvidedId: 'updated' } }),
  ];
  for (const reply of updates) {
    const cost = await costOf(reply);
    expect(cost.roundTrips).toBe(2);
    expect(cost.rowsWritten).toBeLessThanOrEqual(6);
  }
});

test('an update in v1 takes two round trips, and waits for Google only if Google gets the pass', async () => {
  const ofApple = await client.createTemplate({ walletApps: { apple: true, google: false } });
  const { identifier: id } = await client.createPass(ofApple, { userProvidedId: 'updated-v1' });
  const cost = await costOf(await client.post(`/api/pass/${id}`, { barcodeAlternativeText: 'Row 8' }));
  expect(cost.roundTrips).toBe(2);
  expect(cost.rowsWritten).toBeLessThanOrEqual(6);
});

test('a create under every rule takes three round trips, and no rows in proportion to the table', async () => {
  const ruled = await client.createTemplate({
    maxPasses: 5_000,
    enforceUniqueUserProvidedId: true,
    customNumberRange: { from: 1, to: 9_999, prefix: 'N-', padding: 4 },
    additionalProperties: [{ name: 'plate', type: 'text', required: true, unique: true }],
    validValidationPlaces: ['North'],
  });
  const costs = [];
  for (const crowd of [0, ROWS]) {
    const values = { userProvidedId: `ruled-${crowd}`, plate: `plate-${crowd}`, bundleId: `ruled-${crowd}` };
    const data = {
      templateId: ruled,
      ...values,
      enforceUniqueUserProvidedId: true,
      eligibleValidationPlaces: ['North'],
    };
    const reply = await client.post('/api/v3/pass', { data });
    expect(reply.status).toBe(200);
    costs.push(await costOf(reply));
    if (crowd === 0) await multiply(reply.body.data.identifier, ROWS);
  }
  for (const cost of costs) {
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    expect(cost.rowsRead).toBeLessThanOrEqual(42);
    expect(cost.rowsWritten).toBeLessThanOrEqual(20);
  }
});

test('rules do not make a create read the table', async () => {
  const ruled = await client.createTemplate({ maxPasses: 5_000, enforceUniqueUserProvidedId: true });
  const reply = await client.post('/api/v3/pass', {
    data: { templateId: ruled, userProvidedId: 'alone', enforceUniqueUserProvidedId: true, bundleId: 'alone' },
  });
  const cost = await costOf(reply);
  expect(reply.status).toBe(200);
  expect(cost.roundTrips).toBeLessThanOrEqual(3);
  expect(cost.rowsRead).toBeLessThanOrEqual(20);
});

describe('a list page takes one round trip and at most pageSize + 20 rows', () => {
  test.each([10, 100])('of %i, on the first page and on the last', async (pageSize) => {
    const first = await client.get(`/api/pass/list/${templateId}?pageSize=${pageSize}`);
    expect(first.body.results).toHaveLength(pageSize);
    const [last] = await d1<{ id: string }>(
      'select id from passes where template_id = ? order by id desc limit 1 offset 5',
      [templateId],
    );
    const end = await client.get(`/api/pass/list/${templateId}?pageSize=${pageSize}&lastIdOfPriorPage=${last?.id}`);
    expect(end.body.results).toHaveLength(5);
    for (const reply of [first, end]) {
      const cost = await costOf(reply);
      expect(cost.roundTrips).toBe(1);
      expect(cost.rowsRead).toBeLessThanOrEqual(pageSize + 20);
    }
  });

  test.each(['', '?createdSince=2026-01-01%2000:00'])('of a foreign template reads no row %s', async (query) => {
    const foreign = await freshAccount();
    // From then on, its time zone is cached.
    await foreign.get(`/api/pass/list/${templateId}`);
    const reply = await foreign.get(`/api/pass/list/${templateId}${query}`);
    expect(reply.status).toBe(404);
    const cost = await costOf(reply);
    expect(cost.roundTrips).toBe(1);
    expect(cost.rowsRead).toBeLessThanOrEqual(8);
  });

  test.each([
    'createdSince=2026-01-01%2000:00',
    'modifiedSince=2099-01-01%2000:00',
    'lastCreatedOnOfPriorPage=2026-01-01%2000:00',
  ])('with %s', async (query) => {
    const reply = await client.get(`/api/pass/list/${templateId}?pageSize=10&${query}`);
    expect(reply.status).toBe(200);
    const cost = await costOf(reply);
    expect(cost.roundTrips).toBe(1);
    // The total for `createdSince` comes from words of the search index.
    expect(cost.rowsRead).toBeLessThanOrEqual(60);
  });
});

test.each([
  '/api/pass-template',
  '/api/appconfiguration',
  '/api/hook/list',
  '/api/v3/api-key',
  '/api/v3/audit-log',
  '/api/v3/process',
  '/api/v3/project',
  '/api/v3/segment',
] as const)('the list %s takes one round trip', async (path) => {
  const reply = await client.get(path);
  expect(reply.status).toBe(200);
  expect((await costOf(reply)).roundTrips).toBe(1);
});

describe('a page of scans takes one round trip', () => {
  let configurationId: string;
  beforeAll(async () => {
    const configuration = { name: 'Entrance', scanMode: 1, place: '', passTemplateId: templateId };
    const { body } = await client.post('/api/appconfiguration', configuration);
    configurationId = body.configuration[0].configurationId;
  });

  test.each([
    (id: string) => `/api/appscan/list/${id}?pageSize=10`,
    (id: string) => `/api/appscan/list/${id}?createdSince=2026-01-01%2000:00`,
    (id: string) => `/api/appscan/list/${id}?lastCreatedOnOfPriorPage=2026-01-01%2000:00`,
    (id: string) => `/api/appscan?appConfigurationId=${id}`,
    (id: string) => `/api/appscan?appConfigurationId=${id}&createdSince=2026-01-01%2000:00`,
  ])('%o', async (path) => {
    const reply = await client.get(path(configurationId) as `/${string}`);
    expect(reply.status).toBe(200);
    expect((await costOf(reply)).roundTrips).toBe(1);
  });
});

test('the first page of all passes takes one round trip', async () => {
  const other = await freshAccount();
  const ofOther = await other.createTemplate();
  for (const name of ['a', 'b', 'c']) await other.createPass(ofOther, { userProvidedId: name });
  for (const path of ['/api/v3/pass', '/api/v3/pass?pageSize=2', '/api/v3/pass?fields=identifier'] as const) {
    const reply = await other.get(path);
    expect(reply.body.responseMetaData.resultsTotal).toBe(3);
    const cost = await costOf(reply);
    expect(cost.roundTrips).toBe(1);
    expect(cost.rowsRead).toBeLessThanOrEqual(2 * 3 + 20);
  }
});

describe('a page of a search takes two round trips', () => {
  const search = (body: object) => client.post('/api/v3/passinstance/search', body);
  const named = (field: string, operator: string, value: unknown) => ({ groups: [[{ field, operator, value }]] });

  test.each<[string, () => object]>([
    ['of one pass', () => ({ query: named('userProvidedId', 'equals', 'one') })],
    [
      'of many passes',
      () => ({ pageSize: 2, query: { templateId, ...named('createdOn', 'greaterThan', '2026-01-01') } }),
    ],
    ['without those that a condition leaves out', () => ({ pageSize: 2, query: named('voided', 'isFalse', null) })],
    ['behind another page', () => ({ pageSize: 2, startUid: identifier, query: { templateId } })],
    [
      'of some members',
      () => ({ pageSize: 2, fields: ['identifier', 'userProvidedId'], query: { searchPhrase: 'one' } }),
    ],
  ])('%s', async (_, body) => {
    // From then on, the template's definition is cached.
    await search({ query: { templateId } });
    const reply = await search(body());
    expect(reply.status).toBe(200);
    expect((await costOf(reply)).roundTrips).toBe(2);
  });
});

test('a void and a delete read a handful of rows', async () => {
  const { identifier: id } = await client.createPass(templateId);
  const voided = await costOf(await client.put(`/api/pass/${id}`, { voided: true }));
  expect(voided.roundTrips).toBeLessThanOrEqual(3);
  // One finds out that no device has the pass to notify; four are for the timeline, and five for a delete.
  expect(voided.rowsRead).toBeLessThanOrEqual(24);
  const deleted = await costOf(await client.delete(`/api/pass/${id}`));
  expect(deleted.roundTrips).toBeLessThanOrEqual(3);
  expect(deleted.rowsRead).toBeLessThanOrEqual(32);
});
