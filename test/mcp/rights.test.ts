import { beforeAll, describe, expect, test } from 'vitest';
import { grants, SCOPES, type Scope } from '../../src/domain/api-keys/scopes.ts';
import { TOOLS } from '../../src/mcp/tools/index.ts';
import { admin, type Client, clientOf, freshAccount, send } from '../support/api.ts';
import { createConfiguration } from '../support/app-scans.ts';
import { assistantOf } from '../support/mcp.ts';
import { alikeText, secretsIn, unknownName, withoutNames } from '../support/strangers.ts';
import { rowsOfAccount, untilAtRest } from '../support/tenant-rows.ts';

/* A key has the same permissions through tools as through the API, and none for other accounts and templates. */

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

interface KeyOptions {
  scope?: string[];
  template?: string[];
  'allow-ip'?: string[];
}

async function keyWith(options: KeyOptions, { accountId } = client): Promise<Client> {
  const { apiKey } = await admin<{ apiKey: string }>('api-key create', { account: accountId, name: 'k', ...options });
  return clientOf(accountId, apiKey);
}

const rpc = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const post = (body: object, headers: Record<string, string>) => send('POST', '/mcp', body, headers);
const call = (name: string, args: object = {}) => rpc('tools/call', { name, arguments: args });

describe('scopes', () => {
  test.each(SCOPES)('a key with %s lists the tools that it may call', async (scope) => {
    const { sdk } = await assistantOf(await keyWith({ scope: [scope] }));
    const listed = (await sdk.listTools()).tools.map(({ name }) => name);
    expect(listed).toEqual(TOOLS.filter((tool) => grants([scope], tool.scope)).map(({ name }) => name));
  });

  test.each(TOOLS.map(({ name, scope }) => [name, scope] as const))(
    '%s without %s fails, and names the required scope',
    async (name, scope) => {
      const others = SCOPES.filter((one) => !grants([one], scope as Scope));
      const assistant = await assistantOf(await keyWith({ scope: others }));
      const args = {
        id: 'x',
        data: {},
        filter: { identifiers: [] },
        pushNotificationText: 'x',
        appConfigurationId: 'x',
        passId: 'x',
      };
      const { input } = TOOLS.find((tool) => tool.name === name)!;
      const own = Object.fromEntries(Object.entries(args).filter(([argument]) => argument in input.shape));
      const sent = name === 'create_pass' ? { data: { templateId } } : own;
      await assistant.fails(name, sent, new RegExp(`^missing scope: ${scope}\\..*API key with the scope ${scope};`));
    },
  );
});

describe('a key restricted to a template', () => {
  test('does not find others, nor their passes and scans, and is not shown tools for the whole account', async () => {
    const other = await client.createTemplate();
    const mine = await client.createPass(templateId, { userProvidedId: 'mine' });
    const foreign = await client.createPass(other, { userProvidedId: 'foreign' });
    const gate = await createConfiguration(client, { passTemplateIds: [other] });
    const { sdk, works, fails } = await assistantOf(await keyWith({ template: [templateId] }));
    const names = (await sdk.listTools()).tools.map(({ name }) => name);
    expect(TOOLS.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([
      'process_status',
      'webhook_health',
    ]);
    expect((await works('list_templates')).templates).toMatchObject([{ identifier: templateId }]);
    const { passes } = await works('search_passes', { fields: ['userProvidedId'] });
    expect(passes).toEqual([{ identifier: mine.identifier, userProvidedId: 'mine' }]);
    const id = foreign.identifier;
    for (const [tool, args] of Object.entries({
      describe_template: { id: other },
      create_pass: { data: { templateId: other } },
      read_pass: { id },
      update_pass: { id, data: {} },
      void_pass: { id },
      pass_timeline: { id },
      send_push: { id, pushNotificationText: 'x' },
      list_scans: { appConfigurationId: gate.configurationId },
    }))
      await fails(tool, args, /^Object not found\./);
    await fails('webhook_health', {}, /^not available to an API key that is restricted/, /Ask the user for an API key/);
    const dry = await works('bulk_update', { data: {}, filter: { identifiers: [id] } });
    expect(dry.errors).toEqual({ [id]: expect.stringMatching(/not found/i) });
    expect((await client.get(`/api/v3/pass/${id}`)).body.data.voided).toBe(false);
  });
});

describe('names of another account', () => {
  test('are unknown to every tool, and none of its secrets are shown', async () => {
    const owner = await freshAccount();
    const template = await owner.createTemplate();
    const pass = await owner.createPass(template, { userProvidedId: `owned-${crypto.randomUUID()}` });
    const { configurationId } = await createConfiguration(owner);
    await owner.post('/api/v3/pass/bulk/create', { templateId: template, passes: [{}] });
    await untilAtRest(owner.accountId);
    const before = await rowsOfAccount(owner.accountId);
    const secrets = secretsIn(before);
    const processId = String(before.processes?.[0]?.id);
    const argsOf = (name: (known: string) => string) => {
      const id = name(pass.identifier);
      return {
        list_templates: {},
        describe_template: { id: name(template) },
        create_pass: { data: { templateId: name(template) } },
        read_pass: { id },
        update_pass: { id, data: { storedValue: 1 } },
        void_pass: { id },
        search_passes: { templateId: name(template) },
        pass_timeline: { id },
        send_push: { id, pushNotificationText: 'x' },
        record_scan: { appConfigurationId: name(configurationId), passId: id },
        list_scans: { appConfigurationId: name(configurationId) },
        bulk_update: { data: { storedValue: 1 }, filter: { identifiers: [id] }, dryRun: false },
        process_status: { id: name(processId) },
        webhook_health: {},
      };
    };
    expect(Object.keys(argsOf(String))).toEqual(TOOLS.map(({ name }) => name));
    const unknown = argsOf(unknownName);
    const stranger = await assistantOf(await freshAccount());
    for (const [tool, args] of Object.entries(argsOf(String))) {
      const told = await stranger.call(tool, args);
      const nothing = await stranger.call(tool, unknown[tool as keyof typeof unknown]);
      const names = Object.values({ ...args, ...unknown }).filter((value) => typeof value === 'string');
      expect(alikeText(told.text, names), tool).toBe(alikeText(nothing.text, names));
      const sent = JSON.stringify(args);
      const leaked = secrets.filter((secret) => told.text.includes(secret) && !sent.includes(secret));
      expect(leaked, tool).toEqual([]);
    }
    expect(withoutNames(JSON.stringify(await rowsOfAccount(owner.accountId)), [])).toBe(JSON.stringify(before));
  });
});

describe('the key', () => {
  const bad: [string, Record<string, string>][] = [
    ['is missing', {}],
    ['is empty', { Authorization: 'Bearer ' }],
    ['is unknown', { Authorization: `Bearer pk_${'a'.repeat(16)}_${'b'.repeat(43)}` }],
    ['is not one', { Authorization: 'Basic eDp5' }],
  ];

  test.each(bad)('%s: every message gets a 401 that says how to send a key', async (_, headers) => {
    const messages = [
      rpc('initialize'),
      rpc('tools/list'),
      call('list_templates'),
      call('nothing'),
      { jsonrpc: '1.0' },
    ];
    for (const message of [...messages, call('read_pass'), rpc('nothing')]) {
      const { status, body, headers: told } = await post(message, headers);
      expect([status, body.error.code]).toEqual([401, 401]);
      expect(told.get('WWW-Authenticate')).toMatch(/^Bearer /);
      expect(JSON.stringify(body)).not.toContain('void_pass');
    }
  });

  test('may come without Bearer, as in the API', async () => {
    expect((await post(call('list_templates'), { Authorization: client.apiKey })).status).toBe(200);
  });

  test('of a suspended account gets a 401 with the reason', async () => {
    const other = await freshAccount();
    await admin('account suspend', { id: other.accountId });
    for (const message of [rpc('tools/list'), call('list_templates')]) {
      const { status, body } = await post(message, { Authorization: other.apiKey });
      expect([status, body.error.message]).toEqual([401, expect.stringContaining('suspended')]);
    }
  });

  test('for other addresses is rejected here, with the required change', async () => {
    const elsewhere = await keyWith({ 'allow-ip': ['192.0.2.7'] });
    const here = { Authorization: elsewhere.apiKey };
    expect((await post(rpc('tools/list'), here)).status).toBe(403);
    const { body } = await post(call('list_templates'), here);
    expect(body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/allow this address/) }],
    });
    const there = { ...here, 'CF-Connecting-IP': '192.0.2.7' };
    expect((await post(call('list_templates'), there)).body.result.isError).toBeUndefined();
  });
});

describe('quotas', () => {
  test('of requests count calls and other messages alike, and say when to retry', async () => {
    const other = await freshAccount();
    await admin('account update', { id: other.accountId, 'requests-per-minute': '3' });
    const headers = { Authorization: other.apiKey };
    for (const message of [rpc('tools/list'), call('list_templates'), call('read_pass')])
      expect((await post(message, headers)).status).toBe(200);
    const { body } = await post(call('list_templates'), headers);
    expect(body.result.content[0].text).toMatch(/^quota exceeded: requests\. Next step: Wait \d+ seconds, then call/);
    const listed = await post(rpc('tools/list'), headers);
    expect([listed.status, listed.body.error.code, Number(listed.headers.get('Retry-After')) > 0]).toEqual([
      429,
      429,
      true,
    ]);
  });

  test('of passes name themselves and who to ask', async () => {
    const other = await freshAccount();
    await admin('account update', { id: other.accountId, 'passes-max': '0' });
    const { fails } = await assistantOf(other);
    const data = { templateId: await other.createTemplate() };
    await fails('create_pass', { data }, /^quota exceeded: passes\./, /operator of the service/);
  });
});
