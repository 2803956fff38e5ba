import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, freshAccount, type Reply } from '../support/api.ts';
import { type FuzzAccount, fuzzAccount, localized, namesFor } from '../support/fuzz-account.ts';
import { sampleTemplate } from '../support/samples.ts';

/*
 * Valid texts in bodies, and messages about wrong formats, for every operation of the contract with a body. New
 * operations are included automatically.
 */

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
}

interface Operation {
  method: string;
  path: string;
  parameters: { name: string; in: string }[];
  example: unknown;
  schema: Schema;
}

const contract = JSON.parse(readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8'));
// biome-ignore lint/suspicious/noExplicitAny: the contract test checks the document's shape
const operations: Operation[] = Object.entries<any>(contract.paths).flatMap(([path, methods]) =>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  Object.entries<any>(methods).flatMap(([method, { parameters = [], requestBody }]) => {
    const { schema, example } = requestBody?.content['application/json'] ?? {};
    return schema ? [{ method: method.toUpperCase(), path, parameters, example, schema }] : [];
  }),
);

/** Members that accept only texts: the contract's exception, and a date with a checked format. */
const TEXT_ONLY = ['upTo', 'startCreatedOnTimestamp'];

const typesOf = ({ type = [] }: Schema) => [type].flat();

/** Returns the paths of members that accept any text, but no number or boolean instead. */
function strictTexts(schema: Schema, path: string): string[] {
  const types = typesOf(schema);
  const isFree = !schema.enum && schema.const === undefined && !schema.pattern && !schema.format;
  const isStrict = types.includes('string') && isFree && !(types.includes('number') && types.includes('boolean'));
  const name = path.split('.').at(-1)!;
  // A number that may be a text with a placeholder isn't a text.
  const isNumber = schema.anyOf?.some((one) => typesOf(one).includes('number')) ?? false;
  const inner = [
    ...Object.entries(schema.properties ?? {}).map(([key, member]) => [member, `${path}.${key}`] as const),
    ...[schema.items, schema.additionalProperties].map((member) => [member, `${path}.*`] as const),
    ...(schema.anyOf ?? [])
      .filter((member) => !(isNumber && typesOf(member).includes('string')))
      .map((member) => [member, path] as const),
  ];
  return [
    ...(isStrict && !TEXT_ONLY.includes(name) ? [path] : []),
    ...inner.flatMap(([member, at]) => (typeof member === 'object' ? strictTexts(member, at) : [])),
  ];
}

test('every text of a body accepts numbers and booleans, too', () => {
  // The contract rejects any value that isn't a list of names.
  const isPlaces = (path: string) => path.includes('.placesUsedAt.');
  const strict = operations.flatMap(({ method, path, schema }) => strictTexts(schema, `${method} ${path} `));
  expect(strict.filter((path) => !isPlaces(path))).toEqual([]);
});

let account: FuzzAccount;
let client: Client;
/** Switches to a new account for each group of tests, to stay within the rate limit. */
const useNewAccount = async () => {
  account = await fuzzAccount();
  client = account.client;
};

type Place = (string | number)[];

/** Returns the places of the texts in a body. */
function textsIn(value: unknown, place: Place = []): Place[] {
  if (typeof value === 'string') return [place];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, member]) => textsIn(member, [...place, key]));
}

function withAt(value: unknown, [key, ...rest]: Place, put: unknown): unknown {
  if (key === undefined) return put;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  (copy as Record<string, unknown>)[key] = withAt((value as Record<string, unknown>)[key], rest, put);
  return copy;
}

function send({ method, path, parameters }: Operation, body: unknown): Promise<Reply> {
  const segments = path.split('/').map((segment, i, all) => {
    const name = /^\{(.+)\}$/.exec(segment)?.[1];
    return name ? encodeURIComponent(namesFor(account, name, all[i - 1]!)[0]!) : segment;
  });
  const query = parameters.some(({ name }) => name === 'passtemplate') ? `?passtemplate=${account.templates[0]}` : '';
  const as = { POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' }[method] as 'post';
  return client[as](`${segments.join('/')}${query}` as '/', body as object);
}

const messagesOf = ({ body }: Reply): string[] =>
  (body?.ErrorMessage ? body.ErrorMessage.split(/; (?=[\w.]+: )/) : body?.errors) ?? [];

/** Skips deletions: their texts name what to delete. */
const tried = operations.filter(({ example }) => textsIn(example).length > 0);

describe('instead of a text', () => {
  let tests = 0;
  beforeEach(async () => {
    if (tests++ % 6 === 0) await useNewAccount();
  });

  test.for(tried)('$method $path turns numbers and booleans into one', async (operation) => {
    const body = localized(operation.example, account);
    for (const place of textsIn(body).filter((at) => !TEXT_ONLY.includes(String(at.at(-1))))) {
      for (const value of [4711, true]) {
        const reply = await send(operation, withAt(body, place, value));
        expect(reply.status).not.toBe(429);
        expect(messagesOf(reply).filter((message) => /must be a string/.test(message))).toEqual([]);
      }
    }
  });

  test.for(tried)('$method $path rejects arrays and objects', async (operation) => {
    const body = localized(operation.example, account);
    for (const place of textsIn(body)) {
      for (const value of [['a'], { a: 1 }]) {
        const reply = await send(operation, withAt(body, place, value));
        // The process reports errors in one of many passes.
        const isOwn = operation.path.endsWith('/bulk/create') && place[0] === 'passes';
        // Lint reports it as a finding.
        const isFound = operation.path.endsWith('/lint') && reply.body.data[0].severity === 'error';
        expect([place.join('.'), reply.status]).toEqual([place.join('.'), isOwn ? 202 : isFound ? 200 : 400]);
      }
    }
  });
});

test('names that are numbers or booleans are stored as texts', async () => {
  const own = await freshAccount();
  const definition = sampleTemplate({ name: 2027, description: true, organizationName: 7, userProvidedId: 4711 });
  const created = await own.post('/api/v2/pass-template', {
    ...definition,
    logoText: 5,
    validValidationPlaces: [1, true],
    additionalProperties: [{ name: 99, type: 'select', options: [1, 2], default: 2 }],
    translations: { de: { Member: 12 } },
    fields: { headerFields: [{ key: 1, label: false, value: 3, changeMessage: 'Now %@' }] },
  });
  expect(created.status).toBe(201);
  const { data } = (await own.get(`/api/v2/pass-template/4711/describe`)).body;
  expect(data).toMatchObject({
    ...{ name: '2027', description: 'true', organizationName: '7', userProvidedId: '4711', logoText: '5' },
    validValidationPlaces: ['1', 'true'],
    additionalProperties: [{ name: '99', options: ['1', '2'], default: '2' }],
    translations: { de: { Member: '12' } },
    fields: { headerFields: [{ key: '1', label: 'false', value: '3' }] },
  });
  const passes = [1, 2].map((userProvidedId) => own.createPass('4711', { userProvidedId }));
  const [one, two] = await Promise.all(passes);
  const bundle = await own.post('/api/v2/pass-bundle/5', { passes: [1, 2] });
  expect([bundle.status, bundle.body.data.bundleId]).toEqual([200, '5']);
  expect((await own.get('/api/v2/pass-bundle/5')).body.data.passes.sort()).toEqual(
    [one!.identifier, two!.identifier].sort(),
  );
  const bulk = await own.patch('/api/v3/pass/bulk', { data: { storedValue: 1 }, filter: { identifiers: [1, 2] } });
  expect([bulk.status, bulk.body.count]).toEqual([202, 2]);
  const push = { listOfPasses: [1, 2], pushNotificationText: 5 };
  expect((await own.post('/api/pass/sendpushnotifications', push)).status).toBe(202);
  const segment = await own.post('/api/v3/segment', { title: 8, query: {} });
  expect(segment.status).toBe(201);
  expect((await own.get('/api/v3/segment')).body.data).toMatchObject([{ title: '8' }]);
  expect((await own.post('/api/v3/project', { name: true })).status).toBe(201);
  const scanner = {
    name: 3,
    scanMode: 1,
    place: 4,
    passTemplateId: 4711,
    additionalProperties: [{ name: 5, type: 'double' }],
  };
  const { configuration } = (await own.post('/api/appconfiguration', scanner)).body;
  expect(configuration).toMatchObject([
    { name: '3', place: '4', passTemplateId: data.identifier, additionalProperties: [{ name: '5' }] },
  ]);
});

test('a bare number or text is rejected as a list of texts', async () => {
  await useNewAccount();
  for (const passes of [5, 'a', { 0: 'a' }, null]) {
    expect((await client.post('/api/v2/pass-bundle', { passes })).status).toBe(400);
    expect((await client.patch('/api/v3/pass/bulk', { data: {}, filter: { identifiers: passes } })).status).toBe(400);
  }
  expect((await client.post('/api/v2/pass-bundle', { passes: [null] })).body.errors).toEqual([
    'passes.0: must be a string',
  ]);
});

describe('a wrong format', () => {
  beforeAll(useNewAccount);

  /** Errors that aren't about format: a rule, or a choice that the message lists. */
  const NO_FORMAT =
    /must be one of |Use one of |not importable|is not a (pass|project) |is not a pass type|is already used/;
  const HAS_EXAMPLE = /such as |must look like |"[^"]+"/;

  test.for(tried)('of a text in $method $path gets an error with an example', async (operation) => {
    const body = localized(operation.example, account);
    for (const place of textsIn(body)) {
      const reply = await send(operation, withAt(body, place, 'nonsense'));
      expect(reply.status).not.toBe(429);
      if (reply.status !== 400) continue;
      const bare = messagesOf(reply)
        .filter((message) => message.startsWith(place.join('.')))
        .filter((message) => !NO_FORMAT.test(message) && !HAS_EXAMPLE.test(message));
      expect(bare, String(place)).toEqual([]);
    }
  });

  test.each([
    ['/api/v3/process?startUid=x', 'startUid: must be a UUID such as 01980b5e-4a30-7a52-9c11-0242ac120000'],
    [
      '/api/v3/webhook-payload?since=soon',
      'since: invalid since parameter, expected a date and time in ISO 8601, such as 2027-01-31T09:30:00Z',
    ],
    ['/api/v3/process?pageSize=0', 'pageSize: must be an integer from 1 to 100'],
    ['/api/v3/process?pageSize=many', 'pageSize: must be an integer from 1 to 100'],
    ['/api/hook/$subscription/deliveries?pageSize=101', 'pageSize: must be an integer from 1 to 100'],
    ['/api/v3/process?pageSize=2&pageSize=0', 'pageSize: must be sent only once'],
    ['/api/v3/pass?pageSize=2&pageSize=0', 'pageSize: must be sent only once'],
    ['/api/pass/list/$template?createdSince=2026-01-01 10:00&createdSince=x', 'createdSince: must be sent only once'],
    ['/api/v3/webhook-payload?limit=x', 'limit: must be an integer such as 100'],
    ['/api/pass/list/$template?createdSince=x', 'createdSince: must look like 2026-12-24 09:10'],
    ['/api/pass/list/$template?modifiedSince=2026-02-30 10:00', 'modifiedSince: must look like 2026-12-24 09:10'],
    [
      '/api/pass/list/$template?lastIdOfPriorPage=x',
      'lastIdOfPriorPage: must be a UUID such as 01980b5e-4a30-7a52-9c11-0242ac120000',
    ],
    ['/api/appscan/list/$configuration?createdSince=x', 'createdSince: must look like 2026-12-24 09:10'],
    [
      '/api/hook/$subscription/deliveries?before=x',
      'before: must be a UUID such as 01980b5e-4a30-7a52-9c11-0242ac120000',
    ],
  ])('in the address %s gets an error with an example', async (address, message) => {
    const path = address
      .replace('$template', account.templates[0]!)
      .replace('$configuration', account.others.appconfiguration![0]!)
      .replace('$subscription', account.others.hook![0]!);
    const reply = await client.get(path as '/');
    expect([reply.status, messagesOf(reply)]).toEqual([400, [message]]);
  });

  test.each([
    ['colors.labelColor', 'beige', 'must be a hexadecimal color such as #1a2b3c'],
    ['relevantDate', 'soon', 'must look like 2026-12-24 09:10'],
    ['relevantDate', '2026-02-30 10:00', 'is a date that does not exist; use one such as 2026-12-24 09:10'],
    ['links.0.url', 'nowhere', 'must be a URL such as https://example.com/logo.png'],
    ['locations.0.latitude', 'north', 'must be a number such as 12.5'],
    ['additionalProperties.0.id', 'one', 'must look like 65f0c2a81b3d4.01234567'],
    ['fields.backFields.0.currencyCode', 'euro', 'must be an ISO 4217 code such as "EUR"'],
  ])('of a template, %s = %s, gets an error with an example', async (path, value, message) => {
    const [first, ...rest] = path.split('.');
    const wrong = rest.reduceRight<unknown>((inner, key) => (key === '0' ? [inner] : { [key]: inner }), value);
    const required = { links: [{ url: value }], additionalProperties: [{ name: 'A', id: value }] };
    const located = { locations: [{ latitude: value, longitude: 1 }] };
    const sent = { ...sampleTemplate(), ...located, ...required, ...{ [first!]: wrong } };
    const reply = await client.post('/api/v2/pass-template', sent);
    expect(reply.status).toBe(400);
    const ofPath = reply.body.errors.filter((error: string) => error.startsWith(`${path}: `));
    expect(ofPath).toEqual([`${path}: ${message}`]);
  });
});
