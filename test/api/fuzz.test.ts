import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Reply, send } from '../support/api.ts';
import { type FuzzAccount, fuzzAccount, localized, namesFor, SharedFuzzAccounts } from '../support/fuzz-account.ts';
import { oddBody, oddQuery, oddSegment, oddText } from '../support/fuzz-values.ts';
import { randomRuns } from '../support/random-runs.ts';

/*
 * Calls every operation of the committed contract with unexpected bodies, paths and query strings. New routes are
 * included automatically.
 */

const REQUESTS_WITH_A_BODY = 50;
const REQUESTS_WITHOUT = 15;
const LIMIT_MILLIS = 10_000;
/** A slower reply would be a way to keep the service busy; a normal one takes a hundredth of it. */
const REPLY_MILLIS_MAX = 5_000;
/** If only the machine is busy, one of these attempts is fast. */
const TRIES_MAX = 6;

/** Paths whose operations take from an account what others need, as all with DELETE do: they have their own one. */
const SPOILING = /\/(pass-template\/\{(id|identifier)\}|void|movetotemplate|unsubscribe|person\/erase)(\/|$)/;

/** Operations with their own limit, which this many requests exceed. */
const FEW_A_MINUTE = ['/api/hook/{subscription}/test'];

interface Operation {
  method: string;
  path: string;
  parameters: { name: string; in: string }[];
  example: unknown;
  /** Names of all members of its body, at any depth. */
  names: string[];
  statuses: number[];
}

const operations = readOperations();

describe.concurrent('odd requests get no 5xx, a documented status, the error shape of their version, and no long wait', () => {
  test.for(operations)('$method $path', { timeout: LIMIT_MILLIS * 20 }, async (operation) => {
    const requests = operation.method === 'GET' ? REQUESTS_WITHOUT : REQUESTS_WITH_A_BODY;
    const runs = randomRuns<[OddRequest]>(requests, LIMIT_MILLIS);
    const account = await accountFor(operation, runs.numRuns!);
    const property = fc.asyncProperty(requestOf(operation, account), async ({ path, body }) => {
      let millis = Number.POSITIVE_INFINITY;
      for (let tries = 0; millis > REPLY_MILLIS_MAX && tries < TRIES_MAX; tries++) {
        const sentAt = performance.now();
        const reply = await send(operation.method, path, body, { Authorization: account.client.apiKey });
        millis = performance.now() - sentAt;
        expectGoodManners(reply, operation);
      }
      expect(millis).toBeLessThan(REPLY_MILLIS_MAX);
    });
    await fc.assert(property, runs);
  });
});

const [ofReads, ofWrites] = [new SharedFuzzAccounts(), new SharedFuzzAccounts()];

function accountFor({ method, path }: Operation, requests: number): Promise<FuzzAccount> {
  if (method === 'GET') return ofReads.next(requests);
  return method === 'DELETE' || SPOILING.test(path) ? fuzzAccount() : ofWrites.next(requests);
}

function readOperations(): Operation[] {
  const contract = JSON.parse(readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8'));
  // biome-ignore lint/suspicious/noExplicitAny: the contract test checks the document's shape
  return Object.entries<any>(contract.paths).flatMap(([path, methods]) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above
    Object.entries<any>(methods).map(([method, { parameters = [], requestBody, responses }]) => {
      const { example, schema } = requestBody?.content['application/json'] ?? {};
      const statuses = Object.keys(responses).map(Number);
      return { method: method.toUpperCase(), path, parameters, example, names: [...memberNames(schema)], statuses };
    }),
  );
}

function memberNames(schema: unknown, names = new Set<string>()): Set<string> {
  if (schema === null || typeof schema !== 'object') return names;
  if ('properties' in schema) for (const name of Object.keys(schema.properties as object)) names.add(name);
  for (const part of Object.values(schema)) memberNames(part, names);
  return names;
}

interface OddRequest {
  path: `/${string}`;
  body?: string | Uint8Array<ArrayBuffer>;
}

function requestOf(
  { method, path, parameters, example, names: members }: Operation,
  account: FuzzAccount,
): fc.Arbitrary<OddRequest> {
  const segments = path.split('/').map((segment, i, all) => {
    const name = /^\{(.+)\}$/.exec(segment)?.[1];
    if (!name) return fc.constant(segment);
    const known = fc.constantFrom(...namesFor(account, name, all[i - 1]!).map(encodeURIComponent));
    return fc.oneof({ weight: 3, arbitrary: known }, { weight: 1, arbitrary: oddSegment });
  });
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const query = fc.oneof({ weight: 3, arbitrary: goodQuery(names, account) }, oddQuery(names, account.templates));
  return fc.record({
    path: fc.tuple(fc.tuple(...segments), query).map(([parts, text]) => `${parts.join('/')}?${text}` as `/${string}`),
    body: method === 'GET' ? fc.constant(undefined) : oddBody(localized(example, account), members),
  });
}

/** Returns query parameters that pass validation, so that a request reaches its body. */
function goodQuery(names: string[], { templates, others }: FuzzAccount): fc.Arbitrary<string> {
  const appConfigurationId = others.appconfiguration![0]!;
  const flags = { integrationStyle: 'true', async: 'false' };
  const values: Record<string, string> = { passtemplate: templates[0]!, appConfigurationId, ...flags };
  const known = names.filter((name) => name in values).map((name) => [name, values[name]!]);
  return fc.constant(new URLSearchParams(known).toString());
}

/** 401 is for missing keys, and 413 and 415 for any body; 429 would hide what is tested here. */
function expectGoodManners({ status, headers, body }: Reply, { path, statuses }: Operation): void {
  expect([...statuses, 413], `${status}: ${JSON.stringify(body)}`).toContain(status);
  if (!FEW_A_MINUTE.includes(path)) expect(status).not.toBe(429);
  const isV1 = !/^\/api\/v[23]\//.test(path);
  if (status < 400) {
    // Server-sent events aren't JSON, and are the only v3 reply without the envelope.
    const isJson = /json/.test(headers.get('Content-Type') ?? '');
    if (!isV1 && isJson) expect(body).toMatchObject({ success: true, errors: [], statusCode: status });
    return;
  }
  if (isV1) {
    expect(body).toEqual({ ErrorMessage: expect.stringMatching(/./) });
    return;
  }
  expect(body).toMatchObject({ success: false, description: expect.any(String), data: [], statusCode: status });
  expect(body.errors.every((error: unknown) => typeof error === 'string')).toBe(true);
}

test('a pass full of odd texts can be read, listed, opened, drawn and downloaded', {
  timeout: LIMIT_MILLIS * 20,
}, async () => {
  const { client } = await fuzzAccount();
  const template = await client.createTemplate({
    barcode: { format: 'qr', alternativeText: '{Full name}' },
    translationsEnabled: true,
    translations: { de: { Member: '{Full name}' } },
  });
  const fields = fc.record(
    {
      userProvidedId: oddText,
      barcodeValue: oddText,
      barcodeAlternativeText: oddText,
      'Full name': oddText,
      Level: oddText,
      emailRecipient: oddText,
      bundleId: oddText,
      storedValue: fc.oneof(oddText, fc.double()),
      locations: fc.array(fc.record({ latitude: fc.constant(1), longitude: fc.constant(2), relevantText: oddText }), {
        maxLength: 2,
      }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  const property = fc.asyncProperty(fields, async (sent) => {
    const { status, body } = await client.post(`/api/pass?passtemplate=${template}`, sent);
    expect([201, 400]).toContain(status);
    if (status === 400) return;
    const read = await client.get(`/api/pass/${body.identifier}`);
    expect(read.status).toBe(200);
    const addresses = [
      `/api/v3/pass/${body.identifier}`,
      `/api/pass/geturis/${body.identifier}`,
      body.linkToPassPage,
      `${body.linkToPassPage}?print`,
      body.linkToPassFile,
    ];
    for (const address of addresses) expect([address, (await client.get(address)).status]).toEqual([address, 200]);
    expect((await client.get(read.body.qrCodeImage)).status).toBeLessThan(500);
    await client.delete(`/api/pass/${body.identifier}`);
  });
  await fc.assert(property, randomRuns(REQUESTS_WITH_A_BODY, LIMIT_MILLIS));
});
