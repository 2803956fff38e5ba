import { beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, clientOf, freshAccount, type Reply, send } from '../support/api.ts';
import { costOf, d1, logged, storedKeys } from '../support/control.ts';

const V1 = '/api/pass-template';
const V2 = '/api/v2/pass-template/0198f000-0000-7000-8000-000000000000/describe';
const V3 = '/api/v3/project';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
});

describe('keys', () => {
  test('are accepted bare and as a bearer token', async () => {
    expect((await client.get(V1)).status).toBe(200);
    expect((await client.get(V1, { Authorization: `Bearer ${client.apiKey}` })).status).toBe(200);
  });

  test('that are missing, malformed, unknown or have a wrong secret get 401 without rate-limit headers', async () => {
    const wrongSecret = client.apiKey.slice(0, -1) + (client.apiKey.endsWith('A') ? 'B' : 'A');
    const unknown = `pk_${'A'.repeat(16)}_${'B'.repeat(43)}`;
    for (const key of [undefined, '', 'nonsense', unknown, wrongSecret]) {
      const reply = await send('GET', V1, undefined, key === undefined ? {} : { Authorization: key });
      expect([key, reply.status]).toEqual([key, 401]);
      expect(reply.body).toEqual({ ErrorMessage: 'Missing or invalid API key' });
      expect(reply.headers.get('RateLimit-Policy')).toBeNull();
    }
  });

  test('that are deactivated, activated or deleted take effect with the next request', async () => {
    const key = await admin<{ apiKey: string; apiKeyId: string }>('api-key create', {
      account: client.accountId,
      name: 'Rotating',
    });
    const other = clientOf(client.accountId, key.apiKey);
    const statuses: number[] = [(await other.get(V1)).status];
    for (const command of ['deactivate', 'activate', 'delete']) {
      await admin(`api-key ${command}`, { id: key.apiKeyId });
      statuses.push((await other.get(V1)).status);
    }
    expect(statuses).toEqual([200, 401, 200, 401]);
  });
});

describe('errors', () => {
  test('have the shape of their version', async () => {
    const v1 = await client.get('/api/pass/unknown');
    expect([v1.status, v1.body]).toEqual([404, { ErrorMessage: 'Object not found' }]);
    const v2 = await client.get(V2);
    expect(v2.status).toBe(404);
    expect(v2.body).toEqual({
      success: false,
      description: 'Object not found',
      errors: ['Object not found'],
      data: [],
      statusCode: 404,
    });
    const v3 = await client.get('/api/v3/pass/unknown');
    expect(v3.status).toBe(404);
    expect(v3.body).toMatchObject({ success: false, errors: ['Object not found'], data: [], statusCode: 404 });
  });

  test('distinguish unknown paths (404) from wrong methods (405, with Allow) in every version', async () => {
    for (const [path, shape] of [
      ['/api/nowhere', 'ErrorMessage'],
      ['/api/v2/nowhere', 'errors'],
      ['/api/v3/nowhere', 'errors'],
    ] as const) {
      const reply = await client.get(path);
      expect([path, reply.status]).toEqual([path, 404]);
      expect(reply.body).toHaveProperty(shape);
    }
    const wrong = await client.delete(V3);
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('Allow')).toBe('GET, POST');
    expect(wrong.body).toMatchObject({ success: false, statusCode: 405 });
    expect((await client.put('/api/pass/list/x', {})).status).toBe(405);
    expect((await client.post(V2, {})).status).toBe(405);
  });

  test('of unknown paths need a key first', async () => {
    expect((await send('GET', '/api/v3/nowhere')).status).toBe(401);
  });
});

describe('bodies', () => {
  test.each([
    ['malformed JSON', '{"name":', {}, 400],
    ['JSON in another encoding than UTF-8', Buffer.from('{"name":"Müller"}', 'latin1'), {}, 400],
    ['an array', '[]', {}, 400],
    ['a bare text', '"name"', {}, 400],
    ['null', 'null', {}, 400],
    ['another content type', 'name=x', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
    ['bytes of another content type', Buffer.from([0xff, 0xd8]), { 'Content-Type': 'image/jpeg' }, 415],
    ['no body where a field is required', undefined, {}, 400],
  ])('rejects %s', async (_, body, headers, status) => {
    const reply = await client.post(V3, body, headers as Record<string, string>);
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({ success: false, statusCode: status });
  });

  test('accepts JSON without a content type, and with a charset', async () => {
    const origin = new TextEncoder().encode(JSON.stringify({ name: 'Bytes' }));
    const reply = await client.post(V3, origin, { 'Content-Type': 'application/json; charset=utf-8' });
    expect(reply.status).toBe(201);
    expect(reply.body.data.identifier).toMatch(UUID);
  });

  test('larger than 1 MiB get 413, whether or not the length is announced', async () => {
    const large = JSON.stringify({ name: 'x'.repeat(1024 * 1024) });
    expect((await client.post(V3, large)).status).toBe(413);
    expect((await client.post('/api/v2/pass-template', large)).body).toMatchObject({ success: false, statusCode: 413 });
  });

  test('with a wrong type name the path; unknown fields are ignored', async () => {
    const reply = await client.post('/api/v3/pass', { data: { templateId: ['a'] } });
    expect(reply.status).toBe(400);
    expect(reply.body.errors[0]).toContain('data.templateId');
    expect((await client.post(V3, { name: 'Known', unknown: { deep: [1] } })).status).toBe(201);
  });
});

describe('every reply', () => {
  test('has a request ID that is in its log line', async () => {
    const reply = await client.get(V1);
    const line = await logged({ event: 'request', requestId: reply.headers.get('X-Request-Id') });
    expect(line).toMatchObject({ account: client.accountId, method: 'GET', route: '/api/pass-template', status: 200 });
    expect(line.durationMs).toBeTypeOf('number');
    expect((await send('GET', '/nowhere')).headers.get('X-Request-Id')).not.toBeNull();
  });

  test('is logged under its route, even if something before the handler answered', async () => {
    const routeOf = async (reply: Reply) => {
      const line = await logged({ event: 'request', requestId: reply.headers.get('X-Request-Id') });
      return [line.status, line.route, line.account];
    };
    const own = client.accountId;
    const secret = '/api/pass/secret-name' as const;
    expect(await routeOf(await send('GET', secret))).toEqual([401, '/api/pass/:id', undefined]);
    expect(await routeOf(await client.get(secret, { 'X-D1-Bookmark': 'x' }))).toEqual([400, '/api/pass/:id', own]);
    expect(await routeOf(await client.post(V3, 'x', { 'Content-Type': 'text/plain' }))).toEqual([415, V3, own]);
    const repeat = () => client.post(V3, { name: 'Logged' }, { 'Idempotency-Key': 'logged' });
    expect(await routeOf(await repeat())).toEqual([201, V3, own]);
    expect(await routeOf(await repeat())).toEqual([201, V3, own]);
    expect(await routeOf(await client.get('/api/nowhere'))).toEqual([404, 'unmatched', own]);
    expect(await routeOf(await send('POST', '/admin/commands', {}))).toEqual([401, '/admin/commands', undefined]);
  });

  test('with a key has the rate-limit policy and a bookmark that can be sent back', async () => {
    const reply = await client.get(V1);
    expect(reply.headers.get('RateLimit-Policy')).toBe('"default";q=600;w=60');
    const bookmark = reply.headers.get('X-D1-Bookmark')!;
    expect(bookmark).toMatch(/^[0-9a-f-]+$/);
    expect((await client.get(V1, { 'X-D1-Bookmark': bookmark })).status).toBe(200);
    const wrong = await client.get(V1, { 'X-D1-Bookmark': 'yesterday' });
    expect([wrong.status, wrong.body.ErrorMessage]).toEqual([400, expect.stringContaining('X-D1-Bookmark')]);
    // Invalid requests count, too.
    expect(wrong.headers.get('RateLimit-Policy')).toBe(reply.headers.get('RateLimit-Policy'));
  });

  test('beyond 600 per minute is a 429 with Retry-After, for that key only', async () => {
    const busy = await freshAccount();
    const key = await admin<{ apiKey: string }>('api-key create', { account: busy.accountId, name: 'Other' });
    const statuses: number[] = [];
    let refused: Awaited<ReturnType<Client['get']>> | undefined;
    // The window is a clock minute, so this can span at most two windows.
    for (let sent = 0; sent < 1_300 && !refused; sent += 50) {
      const replies = await Promise.all(Array.from({ length: 50 }, () => busy.get('/api/nowhere')));
      statuses.push(...replies.map((reply) => reply.status));
      refused = replies.find((reply) => reply.status === 429);
    }
    expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(600);
    expect(refused?.headers.get('Retry-After')).toBe('60');
    expect(refused?.headers.get('RateLimit')).toBe('"default";r=0;t=60');
    expect(refused?.body).toEqual({ ErrorMessage: expect.stringContaining('600') });
    expect((await clientOf(busy.accountId, key.apiKey).get(V1)).status).toBe(200);
  });
});

describe('idempotency', () => {
  const count = async (caller: Client) => (await caller.get(V3)).body.count as number;

  test('repeats the first reply once done, and does nothing twice', async () => {
    const caller = await freshAccount();
    const headers = { 'Idempotency-Key': 'once' };
    const first = await caller.post(V3, { name: 'Once' }, headers);
    const second = await caller.post(V3, { name: 'Once' }, headers);
    expect(first.headers.get('Idempotent-Replayed')).toBeNull();
    expect(second.headers.get('Idempotent-Replayed')).toBe('true');
    for (const header of ['RateLimit-Policy', 'Content-Type']) {
      expect(second.headers.get(header), header).toBe(first.headers.get(header));
    }
    expect(second.headers.get('RateLimit-Policy')).toContain('w=60');
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(await count(caller)).toBe(1);
  });

  test('rejects the key for another request (422), and works per account', async () => {
    const caller = await freshAccount();
    const headers = { 'Idempotency-Key': 'mine' };
    await caller.post(V3, { name: 'A' }, headers);
    const other = await caller.post(V3, { name: 'B' }, headers);
    expect(other.status).toBe(422);
    expect(other.body).toMatchObject({ success: false, statusCode: 422 });
    expect((await client.post(V3, { name: 'A' }, headers)).headers.get('Idempotent-Replayed')).toBeNull();
  });

  test('runs one of 50 simultaneous requests', async () => {
    const caller = await freshAccount();
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => caller.post(V3, { name: 'Race' }, { 'Idempotency-Key': 'race' })),
    );
    const statuses = new Set(replies.map((reply) => reply.status));
    expect([...statuses].filter((status) => status !== 201 && status !== 409)).toEqual([]);
    expect(replies.filter((reply) => reply.status === 201 && !reply.headers.get('Idempotent-Replayed'))).toHaveLength(
      1,
    );
    expect(await count(caller)).toBe(1);
  });

  test('stores no secret of a reply readably', async () => {
    const caller = await freshAccount();
    const headers = { 'Idempotency-Key': 'customer' };
    const customer = { company_name: 'Sub', last_name: 'Lovelace' };
    const first = await caller.post('/api/customer', customer, headers);
    expect(first.status).toBe(201);
    const kept = await d1('select * from idempotency_keys where account_id = ?', [caller.accountId]);
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain(first.body.apiToken);
    expect((await caller.post('/api/customer', customer, headers)).body).toEqual(first.body);
  });

  test('repeats a reply too large for a database row, and stores it encrypted', async () => {
    const caller = await freshAccount();
    const names = Array.from({ length: 6 }, (_, i) => `Text ${i}`);
    const templateId = await caller.createTemplate({
      additionalProperties: names.map((name) => ({ name, type: 'textarea' })),
    });
    const texts = Object.fromEntries(names.map((name) => [name, '€'.repeat(10_000)]));
    for (let i = 0; i < 12; i++) await caller.createPass(templateId, texts);
    const search = () => caller.post('/api/v3/passinstance/search', {}, { 'Idempotency-Key': 'large' });
    const [first, again] = [await search(), await search()];
    expect(first.status).toBe(200);
    expect(JSON.stringify(first.body).length).toBeGreaterThan(500_000);
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
    expect(again.body).toEqual(first.body);
    expect(await storedKeys(`idempotent-replies/${caller.accountId}/`)).toHaveLength(1);
  });

  test('reports what was done even if the reply cannot be stored', async () => {
    const caller = await freshAccount();
    await d1(`create trigger unlucky before update on idempotency_keys when new.account_id = '${caller.accountId}'
      begin select raise(abort, 'out of luck'); end`);
    try {
      const reply = await caller.post(V3, { name: 'Done' }, { 'Idempotency-Key': 'unlucky' });
      expect(reply.status).toBe(201);
      const requestId = reply.headers.get('X-Request-Id');
      expect(await logged({ event: 'reply-not-kept', requestId })).toMatchObject({
        error: expect.stringContaining('out of luck'),
      });
    } finally {
      await d1('drop trigger unlucky', [], caller);
    }
    expect(await count(caller)).toBe(1);
  });

  test('stores rejections, too', async () => {
    const caller = await freshAccount();
    const headers = { 'Idempotency-Key': 'refused' };
    const first = await caller.post(V3, { name: '' }, headers);
    const second = await caller.post(V3, { name: '' }, headers);
    expect([first.status, second.status]).toEqual([400, 400]);
    expect(second.headers.get('Idempotent-Replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });
});

test('health answers without a key', async () => {
  const reply = await send('GET', '/health');
  expect([reply.status, reply.body]).toEqual([200, { status: 'ok' }]);
  expect((await costOf(reply)).roundTrips).toBe(1);
});
