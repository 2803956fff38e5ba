import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, clientOf, freshAccount, type Reply, send } from '../support/api.ts';
import { d1, eventually } from '../support/control.ts';
import { type FuzzAccount, fuzzAccount, localized, namesFor } from '../support/fuzz-account.ts';
import { alike, namesOf, secretsIn, unknownLike, withoutNames } from '../support/strangers.ts';
import { rowsOfAccount, untilAtRest } from '../support/tenant-rows.ts';

/*
 * Every operation of the contract with a key restricted to one template: passes and objects of the account's other
 * templates get the same reply as unknown ones, and don't change.
 */

interface Operation {
  operation: string;
  method: string;
  path: string;
  query: string[];
  example: unknown;
  isOpen: boolean;
  isWholeAccount: boolean;
}

const contract = JSON.parse(readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8'));
// biome-ignore lint/suspicious/noExplicitAny: the contract test checks the document's shape
const operations: Operation[] = Object.entries<any>(contract.paths).flatMap(([path, methods]) =>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  Object.entries<any>(methods).map(([method, { parameters = [], requestBody, security, ...more }]) => ({
    operation: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    query: parameters.filter((one: { in: string }) => one.in === 'query').map((one: { name: string }) => one.name),
    example: requestBody?.content['application/json']?.example,
    isOpen: security?.length === 0,
    isWholeAccount: more['x-whole-account'] === true,
  })),
);

/** Process, webhook and payload calls, and operations that create templates or accounts. */
const WHOLE_ACCOUNT = [
  ...operations.filter(({ path }) => /^\/api\/(hook|v3\/(process|person|webhook-payload|events))/.test(path)),
  ...operations.filter(({ path }) => path.startsWith('/api/pass-template/copy/')),
].map(({ operation }) => operation);
WHOLE_ACCOUNT.push(
  'POST /api/v2/pass-template',
  'POST /api/v2/pass-template/import',
  'POST /api/v3/project',
  'POST /api/customer',
);

/** The two cases differ: a bundle with another template's pass is unknown, but a free name creates one. */
const CALLER_CHOOSES = 'POST /api/v2/pass-bundle/{bundleId}';
/** A key with other permissions gets 403. */
const OF_KEYS = /^(PATCH|DELETE|POST) \/api\/v3\/api-key\/\{id\}/;

let owner: FuzzAccount;
let nobody: FuzzAccount;
/** Two keys of the account, each restricted to its own template. */
let restricted: [Client, Client];
let before: Awaited<ReturnType<typeof rowsOfAccount>>;
let secrets: string[];

async function keyFor(account: Client, ...template: string[]): Promise<Client> {
  const options = { account: account.accountId, name: 'Restricted', template };
  const { apiKey } = await admin<{ apiKey: string }>('api-key create', options);
  return clientOf(account.accountId, apiKey);
}

beforeAll(async () => {
  owner = await fuzzAccount();
  const { client } = owner;
  const gate = { name: 'Gate', scanMode: 1, place: '', passTemplateIds: [owner.templates[0]] };
  const scanner = (await client.post('/api/appconfiguration', gate)).body.configuration[0].configurationId;
  const link = (await client.post(`/api/appconfiguration/${scanner}/link`, {})).body.identifier;
  owner.others = { ...owner.others, appconfiguration: [scanner], list: [scanner], link: [link] };
  // Wait only for these: what a restricted key knows of itself must not count as a leak.
  await untilAtRest(client.accountId);
  before = await rowsOfAccount(client.accountId);
  const known = new Set([client.accountId, ...(before.accounts ?? []).flatMap((row) => Object.values(row))]);
  secrets = secretsIn({ ...before, signing_keys: [], accounts: [] }).filter((secret) => !known.has(secret));
  const mine = [await client.createTemplate(), await client.createTemplate()];
  restricted = [await keyFor(client, mine[0]!), await keyFor(client, mine[1]!)];
  nobody = unknownLike(owner);
});

/** Rows from before must be unchanged. */
afterAll(async () => {
  const after = await rowsOfAccount(owner.client.accountId);
  for (const table of [
    'templates',
    'passes',
    'segments',
    'app_configurations',
    'app_configuration_links',
    'notifications',
    'projects',
    'api_keys',
    'bundle_links',
  ]) {
    const left = after[table] ?? [];
    const isKept = (row: Record<string, unknown>) => left.some((one) => JSON.stringify(one) === JSON.stringify(row));
    expect((before[table] ?? []).filter((row) => !isKept(row))).toEqual([]);
  }
});

function queryOf({ path, query }: Operation, { templates, passes, others }: FuzzAccount): string {
  const groups = [[{ field: 'templateId', operator: 'equals', value: templates[0] }]];
  const known: Record<string, string | undefined> = {
    integrationStyle: 'true',
    passtemplate: templates[0],
    appConfigurationId: others.appconfiguration?.[0],
    segmentId: query.includes('query') ? undefined : others.segment?.[0],
    startUid: path.endsWith('/timeline') ? undefined : passes[0],
    lastIdOfPriorPage: passes[0],
    query: Buffer.from(JSON.stringify({ groups })).toString('base64url'),
  };
  const given = query.flatMap((name): [string, string][] => (known[name] ? [[name, known[name]]] : []));
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
}

function call(client: Client, operation: Operation, account: FuzzAccount): Promise<Reply> {
  const { method, path, example } = operation;
  const segments = path.split('/').map((segment, i, all) => {
    const parameter = /^\{(.+)\}$/.exec(segment)?.[1];
    return parameter ? encodeURIComponent(namesFor(account, parameter, all[i - 1]!)[0]!) : segment;
  });
  const address = `${segments.join('/')}${queryOf(operation, account)}` as '/';
  const body = method === 'GET' ? undefined : (localized(example, account) as object);
  return send(method, address, body, { Authorization: client.apiKey });
}

describe('an operation about the whole account', () => {
  test('is one of those that the contract forbids for restricted keys', () => {
    const marked = operations.filter(({ isWholeAccount }) => isWholeAccount).map(({ operation }) => operation);
    expect(marked.toSorted()).toEqual(WHOLE_ACCOUNT.toSorted());
  });

  test.for(operations.filter(({ isWholeAccount }) => isWholeAccount))('$operation is a 403', async (operation) => {
    expect((await call(restricted[0], operation, owner)).status).toBe(403);
  });
});

describe('any other operation', () => {
  const others = operations.filter(({ isOpen, isWholeAccount }) => !isOpen && !isWholeAccount);

  test.for(others.filter(({ operation }) => operation !== CALLER_CHOOSES && !OF_KEYS.test(operation)))(
    '$operation gives the same reply for other templates and for unknown names',
    async (operation) => {
      const [foreign, unknown] = [
        await call(restricted[0], operation, owner),
        await call(restricted[1], operation, nobody),
      ];
      if (operation.path.includes('{')) expect(unknown.status).toBe(404);
      expect(alike(foreign, owner)).toEqual(alike(unknown, nobody));
      const told = withoutNames(JSON.stringify(foreign.body) ?? '', namesOf(owner));
      expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
    },
  );

  test.for(others.filter(({ operation }) => OF_KEYS.test(operation)))(
    '$operation rejects a key with more permissions',
    async (operation) => {
      expect((await call(restricted[0], operation, owner)).status).toBe(403);
      expect((await call(restricted[0], operation, nobody)).status).toBe(404);
    },
  );
});

describe('a key restricted to one of two templates', () => {
  let client: Client;
  let key: Client;
  let inside: string;
  let outside: string;
  let [mine, other] = ['', ''];

  beforeAll(async () => {
    client = await freshAccount();
    inside = await client.createTemplate({ name: 'Inside' });
    outside = await client.createTemplate({ name: 'Outside' });
    mine = (await client.createPass(inside, { userProvidedId: 'same', barcodeValue: 'CODE' })).identifier;
    other = (await client.createPass(outside, { userProvidedId: 'same', barcodeValue: 'CODE' })).identifier;
    key = await keyFor(client, inside);
  });

  test('finds its pass by a name that a newer pass of the other template has, too', async () => {
    for (const name of ['same', 'CODE']) {
      expect((await client.get(`/api/v3/pass/${name}`)).body.data.identifier).toBe(other);
      expect((await key.get(`/api/v3/pass/${name}`)).body.data.identifier).toBe(mine);
      expect((await key.patch(`/api/v3/pass/${name}`, { data: { storedValue: 1 } })).status).toBe(200);
    }
    expect(await d1('select stored_value from passes where id = ?', [other])).toEqual([{ stored_value: null }]);
  });

  test('lists, searches and counts its own', async () => {
    expect((await key.get('/api/pass-template')).body.map((one: { identifier: string }) => one.identifier)).toEqual([
      inside,
    ]);
    const found = await key.post('/api/v3/passinstance/search', { query: { searchPhrase: 'same' } });
    expect(JSON.stringify(found.body)).not.toContain(other);
    const listed = await key.get('/api/v3/pass');
    expect(listed.body.responseMetaData).toEqual({ resultsTotal: 1, resultsThisPage: 1 });
    const counted = await key.patch('/api/v3/pass/bulk', {
      data: { storedValue: 5 },
      dryRun: true,
      filter: { query: {} },
    });
    expect(counted.body.count).toBe(1);
  });

  test('changes only its own in bulk, by query and by names', async () => {
    for (const filter of [{ query: {} }, { identifiers: [mine, other, 'same'] }]) {
      const value = Object.keys(filter).length + Math.floor(Math.random() * 1_000) + 10;
      await key.patch('/api/v3/pass/bulk', { data: { storedValue: value }, filter });
      await eventually(async () => {
        const [row] = await d1<{ stored_value: number }>('select stored_value from passes where id = ?', [mine]);
        return row!.stored_value === value;
      });
      await untilAtRest(client.accountId);
      expect(await d1('select stored_value from passes where id = ?', [other])).toEqual([{ stored_value: null }]);
    }
  });

  test('does not find a bundle with a pass of the other template, however it is named', async () => {
    await client.post('/api/v2/pass-bundle/mixed', { passes: [mine, other] });
    expect((await key.get('/api/v2/pass-bundle/mixed')).status).toBe(404);
    expect((await key.put('/api/v2/pass-bundle/void/mixed', { voided: true })).status).toBe(404);
    expect((await key.delete('/api/v2/pass-bundle/mixed')).status).toBe(404);
    const extra = (await key.post('/api/v3/pass', { data: { templateId: inside, userProvidedId: 'extra' } })).body.data
      .identifier;
    expect((await key.post('/api/v2/pass-bundle/mixed', { passes: [extra] })).status).toBe(404);
    expect((await key.patch(`/api/v3/pass/${extra}`, { data: { bundleId: 'mixed' } })).status).toBe(404);
    expect((await key.post('/api/v3/pass', { data: { templateId: inside, bundleId: 'mixed' } })).status).toBe(404);
    expect((await client.get('/api/v2/pass-bundle/mixed')).body.data.passes).toHaveLength(2);
    expect((await key.post('/api/v2/pass-bundle/pure', { passes: [extra] })).status).toBe(200);
    expect((await key.get('/api/v2/pass-bundle/pure')).body.data.passes).toEqual([extra]);
  });

  test('scans its own passes, and lists their scans', async () => {
    const open = async (fields: object) =>
      (await client.post('/api/appconfiguration', { name: 'Gate', scanMode: 1, place: '', ...fields })).body
        .configuration[0].configurationId;
    const [all, own, foreign] = [
      await open({}),
      await open({ passTemplateIds: [inside] }),
      await open({ passTemplateIds: [outside] }),
    ];
    const scan = (as: Client, appConfigurationId: string, passId: string) =>
      as.post('/api/appscan', { appConfigurationId, passId });
    expect((await scan(key, all, mine)).body).toMatchObject({ passId: mine });
    expect((await scan(key, own, mine)).body).toMatchObject({ passId: mine });
    expect((await scan(key, all, other)).body).toMatchObject({ passId: null });
    expect((await scan(key, foreign, mine)).status).toBe(404);
    await scan(client, all, other);
    const { body } = await key.get(`/api/appscan/list/${all}`);
    expect([body.total, body.results.length]).toEqual([2, 2]);
    expect(JSON.stringify(body)).not.toContain(other);
    // A key doesn't see links to configurations that also scan other templates.
    const listed = (await key.get('/api/appconfiguration')).body;
    expect(JSON.stringify(listed)).toContain(own);
    expect(JSON.stringify(listed)).not.toContain(all);
    for (const id of [all, foreign]) {
      expect((await key.get(`/api/appconfiguration/${id}`)).status).toBe(404);
      expect((await key.post(`/api/appconfiguration/${id}/link`, {})).status).toBe(404);
      expect((await key.delete(`/api/appconfiguration/${id}`)).status).toBe(404);
    }
    expect((await key.post('/api/appconfiguration', { name: 'All', scanMode: 1, place: '' })).status).toBe(400);
  });

  test('sees no values of scans that may be of other templates', async () => {
    const open = async (passTemplateIds: string[]) => {
      const additionalProperties = [{ name: 'Note', type: 'unicode' }];
      const fields = { name: 'Gate', scanMode: 1, place: '', passTemplateIds, additionalProperties };
      return (await client.post('/api/appconfiguration', fields)).body.configuration[0];
    };
    const third = await client.createTemplate();
    const { configurationId, additionalProperties } = await open([inside, third]);
    const sent = { storedValue: 42, additionalProperties: { [additionalProperties[0].id]: 'A note' } };
    const scan = (scannedBarcodeValue: string) =>
      client.post('/api/appscan', { appConfigurationId: configurationId, scannedBarcodeValue, ...sent });
    const foreign = 'foreign-code';
    await client.createPass(outside, { barcodeValue: foreign });
    // The last one is scanned before its pass exists.
    for (const code of [foreign, 'early-code']) expect((await scan(code)).body.passId).toBeNull();
    await client.createPass(outside, { barcodeValue: 'early-code' });
    await client.createPass(inside, { barcodeValue: 'own-code' });
    const passId = (await scan('own-code')).body.passId;
    expect(passId).not.toBeNull();
    const { body } = await key.get(`/api/appscan/list/${configurationId}`);
    expect([body.total, body.results]).toMatchObject([
      2,
      [
        { passId: null, scannedBarcodeValue: null, storedValue: null, additionalPropertiesScan: {} },
        { passId, scannedBarcodeValue: 'own-code', storedValue: 42 },
      ],
    ]);
    const all = (await key.get(`/api/appscan?appConfigurationId=${configurationId}`)).body;
    expect(all.map((one: { scannedBarcodeValue: string }) => one.scannedBarcodeValue)).toEqual([null, 'own-code']);
    const { results } = (await client.get(`/api/appscan/list/${configurationId}`)).body;
    expect(results).toMatchObject([{ scannedBarcodeValue: foreign }, { scannedBarcodeValue: 'early-code' }, {}]);
  });

  test('neither finds nor creates links that open other configurations', async () => {
    const fields = { name: 'Gate', scanMode: 1, place: '', passTemplateIds: [inside] };
    const { configurationId } = (await client.post('/api/appconfiguration', fields)).body.configuration[0];
    const path = `/api/appconfiguration/${configurationId}` as const;
    const wide = (await client.post(`${path}/link`, { canChangeConfig: true })).body.identifier;
    expect((await key.post(`${path}/link`, { canChangeConfig: true })).status).toBe(400);
    const narrow = (await key.post(`${path}/link`, {})).body.identifier;
    const shown = JSON.stringify((await key.get(path)).body);
    expect([shown.includes(narrow), shown.includes(wide)]).toEqual([true, false]);
    expect((await key.delete(`${path}/link/${wide}`)).status).toBe(404);
    expect((await key.delete(`${path}/link/${narrow}`)).status).toBeLessThan(300);
  });

  test('cannot set tiers that lead to other templates, but existing ones still move its passes', async () => {
    const tiers = [{ minimumValue: 100, templateId: outside }];
    const change = { passFunctionality: { type: 'loyalty', tiers } };
    const path = `/api/v2/pass-template/${inside}` as const;
    expect((await key.patch(path, change)).status).toBe(400);
    expect((await client.patch(path, change)).status).toBe(200);
    const { identifier } = await client.createPass(inside);
    expect((await key.patch(`/api/v3/pass/${identifier}`, { data: { storedValue: 100 } })).status).toBe(200);
    expect(await d1('select template_id from passes where id = ?', [identifier])).toEqual([{ template_id: outside }]);
    expect((await key.get(`/api/v3/pass/${identifier}`)).status).toBe(404);
  });

  test('has segments of its template, and no others', async () => {
    const add = (as: Client, query: object) => as.post('/api/v3/segment', { title: 'S', query });
    const own = (await add(client, { templateId: inside })).body.data.identifier;
    await add(client, { templateId: outside });
    const all = (await add(client, {})).body.data.identifier;
    const listed = (await key.get('/api/v3/segment')).body.data.map((one: { identifier: string }) => one.identifier);
    expect(listed).toEqual([own]);
    expect((await key.delete(`/api/v3/segment/${all}`)).status).toBe(404);
    expect((await add(key, {})).status).toBe(400);
    expect((await add(key, { templateId: outside })).status).toBe(404);
    expect((await add(key, { templateId: inside })).status).toBe(201);
  });

  test('gets no reply stored for another key', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const body = { data: { templateId: outside, userProvidedId: 'kept' } };
    expect((await client.post('/api/v3/pass', body, headers)).status).toBe(200);
    expect((await key.post('/api/v3/pass', body, headers)).status).toBe(422);
  });
});
