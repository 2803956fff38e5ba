import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Client, freshAccount, send } from '../support/api.ts';
import { d1 } from '../support/control.ts';
import { sampleTemplate } from '../support/samples.ts';

/* Failures common to all versions: the shape of errors, and replies to repeated POST requests. */

const VERSIONS = ['v1', 'v2', 'v3'] as const;
type Version = (typeof VERSIONS)[number];

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

/** Returns a POST operation of each version, with a valid body. */
const post = (version: Version): { path: `/${string}`; body: object } =>
  ({
    v1: { path: `/api/pass?passtemplate=${templateId}` as const, body: { userProvidedId: 'post' } },
    v2: { path: '/api/v2/pass-template' as const, body: sampleTemplate() },
    v3: { path: '/api/v3/pass?async=false' as const, body: { data: { templateId, userProvidedId: 'post' } } },
  })[version];

const unknown = { v1: '/api/nowhere', v2: '/api/v2/nowhere', v3: '/api/v3/nowhere' } as const;

function expectFailure(version: Version, status: number, reply: { status: number; body: unknown; headers: Headers }) {
  expect([version, reply.status]).toEqual([version, status]);
  expect(reply.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(reply.headers.get('Content-Type')).toMatch(/^application\/json/);
  if (version === 'v1') return expect(reply.body).toEqual({ ErrorMessage: expect.stringMatching(/./) });
  expect(reply.body).toMatchObject({
    success: false,
    description: expect.stringMatching(/./),
    errors: [expect.stringMatching(/./)],
    data: [],
    statusCode: status,
  });
}

describe.each(VERSIONS)('a failure of %s', (version) => {
  test('has its shape: malformed body, no key, unknown path, wrong method, too large, no JSON', async () => {
    const { path, body } = post(version);
    expectFailure(version, 400, await client.post(path, '{'));
    expectFailure(version, 401, await client.post(path, body, { Authorization: '' }));
    expectFailure(version, 404, await client.get(unknown[version]));
    expectFailure(version, 405, await client.delete(path));
    expectFailure(version, 413, await client.post(path, ' '.repeat(1024 * 1024 + 1)));
    expectFailure(version, 415, await client.post(path, 'a=b', { 'Content-Type': 'text/plain' }));
  });

  test('has its shape: a key of another request, and one whose request is running', async () => {
    const { path, body } = post(version);
    const headers = { 'Idempotency-Key': `failure-${version}` };
    await client.post(path, body, headers);
    expectFailure(version, 422, await client.post(path, { ...body, more: 1 }, headers));
    await d1('update idempotency_keys set status = null where account_id = ? and key = ?', [
      client.accountId,
      headers['Idempotency-Key'],
    ]);
    expectFailure(version, 409, await client.post(path, body, headers));
  });

  test('inside the service shows only the request ID', async () => {
    const caller = await freshAccount();
    const id = await caller.createTemplate();
    const pass = await caller.createPass(id, { userProvidedId: 'broken' });
    await d1("update passes set properties = 'damaged' where id = ?", [pass.identifier]);
    const paths = { v1: '/api/pass/broken', v2: `/api/v2/pass/broken/movetotemplate/${id}`, v3: '/api/v3/pass/broken' };
    const method = version === 'v2' ? 'POST' : 'GET';
    const response = await fetch(inject('worker').origin + paths[version], {
      method,
      headers: { Authorization: caller.apiKey },
    });
    const body = (await response.json()) as { ErrorMessage?: string; errors?: string[] };
    expectFailure(version, 500, { status: response.status, body, headers: response.headers });
    const message = body.ErrorMessage ?? body.errors?.[0];
    expect(message).toBe(`Internal server error (request ${response.headers.get('X-Request-Id')})`);
  });
});

describe.each(VERSIONS)('a POST of %s with an Idempotency-Key', (version) => {
  test('is done once in 24 hours, then again', async () => {
    const { path, body } = post(version);
    const headers = { 'Idempotency-Key': `once-${version}` };
    const first = await client.post(path, body, headers);
    const repeated = await client.post(path, body, headers);
    expect([repeated.status, repeated.body]).toEqual([first.status, first.body]);
    expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
    const dayAgo = Date.now() - 24 * 60 * 60_000;
    await d1('update idempotency_keys set started_at = ? where account_id = ? and key = ?', [
      dayAgo - 1_000,
      client.accountId,
      headers['Idempotency-Key'],
    ]);
    const anew = await client.post(path, body, headers);
    expect(anew.status).toBe(first.status);
    expect(anew.headers.get('Idempotent-Replayed')).toBeNull();
    expect(anew.body).not.toEqual(first.body);
  });
});

test.each([
  ['POST', '/api/v3/project', '{"name":"Deep","unknown":'],
  ['PATCH', '/api/v3/pass/bulk', '{"filter":{"identifiers":["nobody"]},"data":{"unknown":'],
])('%s %s accepts 100 levels and rejects more', async (method, path, head) => {
  const nested = (levels: number) => {
    const inner = levels - [...head.matchAll(/\{/g)].length + [...head.matchAll(/\}/g)].length;
    return `${head}${'['.repeat(inner)}${']'.repeat(inner)}${path.endsWith('bulk') ? '}}' : '}'}`;
  };
  const statusOf = async (levels: number) =>
    (await send(method, path as '/', nested(levels), { Authorization: client.apiKey })).status;
  expect(await statusOf(100)).toBeLessThan(300);
  expect([await statusOf(101), await statusOf(20_000), await statusOf(400_000)]).toEqual([400, 400, 400]);
});

test('a bundle that is not there cannot be deleted, and that alone leaves `errors` empty', async () => {
  const reply = await client.delete('/api/v2/pass-bundle/nowhere');
  expect([reply.status, reply.body]).toEqual([
    404,
    { success: false, description: 'Object not found', errors: [], data: [], statusCode: 404 },
  ]);
  expect((await client.get('/api/v2/pass-bundle/nowhere')).body.errors).toEqual(['Object not found']);
});

test('texts with half a surrogate pair are stored as every reader decodes them', async () => {
  const { identifier } = await client.createPass(templateId, {
    userProvidedId: 'half \ud800 pair',
    'Full name': '\udfff',
  });
  const { body } = await client.get(`/api/pass/${encodeURIComponent('half \ufffd pair')}?includeFieldMapping=true`);
  expect([body.identifier, body.userProvidedId]).toEqual([identifier, 'half \ufffd pair']);
  expect(body.passFieldData[body.fieldMapping['Full name']]).toBe('\ufffd');
});

/** Names such as `constructor`, `toString` and `__proto__`, which every plain object inherits. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);

test('names that every object inherits are ordinary texts everywhere', async () => {
  const text = (key: string, value: string) => ({ key, label: key, value });
  const odd = await client.createTemplate({
    additionalProperties: [...INHERITED.map((name) => ({ name })), { name: 'Paid', type: 'checkbox' }],
    fields: {
      primaryFields: [text('constructor', '{constructor}')],
      backFields: INHERITED.filter((name) => name !== 'constructor').map((name) => text(name, `{${name}}`)),
    },
    translationsEnabled: true,
    translations: { de: { constructor: 'toString' } },
  });
  const created = await Promise.all(
    INHERITED.map((value) => {
      const values = Object.fromEntries(INHERITED.map((name) => [name, value]));
      const data = { templateId: odd, userProvidedId: value, ...values };
      return client.post('/api/v3/pass?async=false', { data });
    }),
  );
  expect(created.map(({ status }) => status)).toEqual(INHERITED.map(() => 200));
  for (const [i, { body }] of created.entries()) {
    expect(body.data.walletSaveUri).toMatch(/^https:/);
    expect(Object.entries(body.data.genericProperties)).toContainEqual(['constructor', INHERITED[i]]);
    const page = await send('GET', body.data.downloadPage, undefined, { 'Accept-Language': 'de' });
    expect([page.status, page.body.includes('[native code]')]).toEqual([200, false]);
    expect((await send('GET', body.data.passFileUri)).status).toBe(200);
  }
  expect((await client.get(`/api/pass/list/${odd}`)).body.total).toBe(INHERITED.length);
  const flagged = (value: string) => ({ groups: [[{ field: 'Paid', operator: 'equals', value: [value] }]] });
  for (const value of INHERITED) {
    const query = { templateId: odd, ...flagged(value) };
    const reply = await client.post('/api/v3/passinstance/search', { query });
    expect([value, reply.status, reply.body.data]).toEqual([value, 200, []]);
  }
});
