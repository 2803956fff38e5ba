import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Client, freshAccount, send } from '../support/api.ts';
import { logged } from '../support/control.ts';
import { assistantOf, ERAS } from '../support/mcp.ts';

/* The wire format: JSON-RPC over HTTP in both generations of the protocol. */

const MODERN = '2026-07-28';
const LEGACY = ['2025-11-25', '2025-06-18'];

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
});

type Sent = object | string;
const rpc = (method: string, params?: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });

function post(body: Sent, headers: Record<string, string> = {}) {
  return send('POST', '/mcp', body, { Authorization: `Bearer ${client.apiKey}`, ...headers });
}

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Sends a request of the newer generation; parameters and headers can be overridden. */
function modern(method: string, params: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const name: Record<string, string> = typeof params.name === 'string' ? { 'Mcp-Name': params.name } : {};
  const sent = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method, ...name, ...headers };
  return post(rpc(method, { _meta: META, ...params }), sent);
}

describe('the official client', () => {
  test.each(ERAS)('connects through %s, and learns what the server is for', async (era) => {
    const { sdk } = await assistantOf(client, era);
    expect(sdk.getNegotiatedProtocolVersion()).toBe(era === 'legacy' ? LEGACY[0] : MODERN);
    expect(sdk.getServerCapabilities()).toEqual({ tools: {} });
    expect(sdk.getServerVersion()).toMatchObject({ name: 'pass-wallet-service', version: '1.0.0' });
    expect(sdk.getInstructions()).toContain('list_templates');
  });

  test('learns from a 401 that its key is wrong', async () => {
    await expect(assistantOf({ apiKey: 'pk_wrong' }, 'legacy')).rejects.toThrow(/401|API key|Unauthorized/i);
  });
});

describe('a request before 2026-07-28', () => {
  test.each([...LEGACY, '2024-11-05', MODERN, 'x'])('initialize with %s agrees on a revision', async (version) => {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const { status, body, headers } = await post(rpc('initialize', params));
    expect(status).toBe(200);
    expect(body).toMatchObject({ jsonrpc: '2.0', id: 1, result: { capabilities: { tools: {} } } });
    expect(body.result.protocolVersion).toBe(LEGACY.includes(version) ? version : LEGACY[0]);
    expect(headers.get('Mcp-Session-Id')).toBeNull();
  });

  test('may omit the version, and gets no members of later revisions', async () => {
    const { body } = await post(rpc('tools/list'));
    expect(Object.keys(body.result)).toEqual(['tools']);
    expect((await post(rpc('ping', undefined, 'a'))).body).toEqual({ jsonrpc: '2.0', id: 'a', result: {} });
    const called = await post(rpc('tools/call', { name: 'list_templates' }), { 'MCP-Protocol-Version': LEGACY[1]! });
    expect(Object.keys(called.body.result).sort()).toEqual(['content', 'structuredContent']);
  });

  test('for an unknown method is an error with status 200', async () => {
    for (const method of ['resources/list', 'server/discover', 'toString']) {
      const { status, body } = await post(rpc(method));
      expect([status, body.id, body.error.code]).toEqual([200, 1, -32601]);
    }
  });
});

describe('a request of 2026-07-28', () => {
  test('discovers versions, capabilities and instructions', async () => {
    const { status, body } = await modern('server/discover');
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [MODERN, ...LEGACY],
      capabilities: { tools: {} },
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'pass-wallet-service' } },
    });
  });

  test('gets a cacheable list, and complete results', async () => {
    const { body } = await modern('tools/list');
    expect(body.result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'private' });
    const called = (await modern('tools/call', { name: 'list_templates' })).body.result;
    expect(called).toMatchObject({ resultType: 'complete', structuredContent: { total: 0 } });
  });

  test.each([
    ['no version', { 'MCP-Protocol-Version': '' }],
    ['another version', { 'MCP-Protocol-Version': LEGACY[0]! }],
    ['another method', { 'Mcp-Method': 'tools/list' }],
    ['another name', { 'Mcp-Name': 'void_pass' }],
    ['a name in wrong Base64', { 'Mcp-Name': '=?base64?bGlzdA==?=' }],
  ])('whose headers have %s is rejected', async (_, headers) => {
    const { status, body } = await modern('tools/call', { name: 'list_templates' }, headers);
    expect([status, body.error.code]).toEqual([400, -32020]);
    expect(body.error.message).toContain(Object.keys(headers)[0]);
  });

  test('may have its name in Base64', async () => {
    const encoded = `=?base64?${Buffer.from('list_templates').toString('base64')}?=`;
    expect((await modern('tools/call', { name: 'list_templates' }, { 'Mcp-Name': encoded })).status).toBe(200);
  });

  test('needs its metadata', async () => {
    for (const _meta of [undefined, {}, { ...META, 'io.modelcontextprotocol/clientCapabilities': undefined }]) {
      const { status, body } = await modern('tools/list', { _meta });
      expect([status, body.error.code]).toEqual([400, -32602]);
    }
  });

  test('for an unknown method is a 404, including removed ones', async () => {
    for (const method of ['prompts/list', 'ping', 'initialize', 'subscriptions/listen']) {
      const { status, body } = await modern(method);
      expect([status, body.error]).toEqual([404, { code: -32601, message: 'Method not found', data: { method } }]);
    }
  });
});

describe('an unknown version', () => {
  test.each([
    ['in the header', rpc('tools/list'), { 'MCP-Protocol-Version': '1900-01-01' }],
    [
      'in the metadata',
      rpc('tools/list', { _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '1900-01-01' } }),
      {},
    ],
  ])('%s is rejected with the known ones', async (_, body, headers) => {
    const reply = await post(body, headers);
    expect([reply.status, reply.body.error.code]).toEqual([400, -32022]);
    expect(reply.body.error.data).toEqual({ supported: [MODERN, ...LEGACY], requested: '1900-01-01' });
  });
});

describe('a message', () => {
  test.each<[string, Sent, number]>([
    ['that is no JSON', '{"jsonrpc"', -32700],
    ['that is empty', '', -32600],
    ['that is a text', '"tools/list"', -32600],
    ['that is a batch', [rpc('ping')], -32600],
    ['that is an empty batch', '[]', -32600],
    ['of another JSON-RPC', { ...rpc('ping'), jsonrpc: '1.0' }, -32600],
    ['without a method', { jsonrpc: '2.0', id: 1 }, -32600],
    ['that is a response', { jsonrpc: '2.0', id: 1, result: {} }, -32600],
    ['with a method that is no text', { ...rpc('ping'), method: 1 }, -32600],
    ['with null for an identifier', rpc('ping', {}, null), -32600],
    ['with an object for an identifier', rpc('ping', {}, {}), -32600],
    ['with a list of params', { ...rpc('ping'), params: [1] }, -32600],
    ['that is deeper than 100 levels', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`, -32600],
  ])('%s is a 400', async (_, body, code) => {
    const reply = await post(body);
    expect([reply.status, reply.body.error.code]).toEqual([400, code]);
    expect(reply.body.jsonrpc).toBe('2.0');
    expect(reply.body.error.message.length).toBeGreaterThan(5);
  });

  test('without an identifier is a notification, which has no answer', async () => {
    for (const method of ['notifications/initialized', 'notifications/cancelled', 'tools/call']) {
      const reply = await post({ jsonrpc: '2.0', method });
      expect([reply.status, reply.body]).toEqual([202, undefined]);
    }
  });

  test('of more than 1 MiB is a 413, and one with a type other than JSON a 415', async () => {
    const large = await post(rpc('tools/call', { name: 'create_pass', arguments: { data: 'x'.repeat(1_100_000) } }));
    expect([large.status, large.body.error.code]).toEqual([413, 413]);
    expect((await post('a=b', { 'Content-Type': 'text/plain' })).status).toBe(415);
  });

  test.each([[{ name: 'delete_pass' }], [{ name: '__proto__' }], [{ name: 7 }], [{}]])(
    'that calls an unknown tool (%j) gets a list of the known ones',
    async (params) => {
      const { status, body } = await post(rpc('tools/call', params));
      expect([status, body.error.code]).toEqual([200, -32602]);
      expect(body.error.message).toContain('void_pass');
    },
  );

  test.each([null, [], 'x', 1])('with %j as arguments gets a result with an error', async (args) => {
    const { status, body } = await post(rpc('tools/call', { name: 'read_pass', arguments: args }));
    expect([status, body.result.isError ?? body.result.structuredContent]).toEqual([200, true]);
  });
});

describe('the address', () => {
  test.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('rejects %s: there are no sessions and no streams', async (method) => {
    const reply = await send(method, '/mcp', undefined, { Authorization: client.apiKey });
    expect([reply.status, reply.headers.get('Allow'), reply.body.error.code]).toEqual([405, 'POST', 405]);
  });

  test('rejects pages of other sites', async () => {
    const foreign = await post(rpc('ping'), { Origin: 'https://evil.example.com' });
    expect([foreign.status, foreign.body.error.code]).toEqual([403, 403]);
    const own = await post(rpc('ping'), { Origin: inject('worker').origin });
    expect(own.status).toBe(200);
  });

  test('writes one line for the call with the name of the tool, and one for the request of the API', async () => {
    const reply = await post(rpc('tools/call', { name: 'list_templates' }));
    const line = await logged({ requestId: reply.headers.get('X-Request-Id') });
    expect(line).toMatchObject({ event: 'request', method: 'POST', route: '/mcp list_templates', d1RoundTrips: 0 });
    expect(await logged({ event: 'request', account: client.accountId, route: '/api/pass-template' })).toMatchObject({
      d1RoundTrips: 1,
    });
  });

  test('costs the round trips of the API’s request, and one to check the key for other messages', async () => {
    const listed = await post(rpc('tools/list'));
    const line = await logged({ requestId: listed.headers.get('X-Request-Id') });
    expect(line).toMatchObject({ route: '/mcp', d1RoundTrips: 1, account: client.accountId });
  });
});
