import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { PassWallet } from '../../client/src/index.ts';
import { callStyle } from '../../scripts/client/call-style.ts';
import { type Contract, operationsOf, readContract } from '../../scripts/client/contract.ts';
import { generatedFiles } from '../../scripts/client/generated-files.ts';
import { comment, typeOf } from '../../scripts/client/schema-type.ts';

/*
 * Checks the files generated from the contract: otherwise the client and the Postman collection would become outdated.
 */

const ROOT = join(import.meta.dirname, '../..');
const contract = readContract();
const operations = operationsOf(contract);

test.each(Object.entries(generatedFiles(contract)))('%s matches the contract (npm run contract)', (path, text) => {
  expect(readFileSync(join(ROOT, path), 'utf8') === text).toBe(true);
});

describe('the client', () => {
  const wallet = new PassWallet({ baseUrl: 'https://service.example', apiKey: 'pk_1' });

  test('has a method for each operation', () => {
    expect(operations.length).toBeGreaterThan(80);
    const methods = wallet as unknown as Record<string, unknown>;
    const missing = operations.filter(({ operationId }) => typeof methods[operationId] !== 'function');
    expect(missing.map(({ operationId }) => operationId)).toEqual([]);
  });

  test('knows how each list is paged', () => {
    const styles = operations
      .filter(({ operationId }) => /^(list|search)/.test(operationId))
      .map((operation) => [operation.operationId, callStyle(operation).words[0] ?? 'not a list']);
    const names = Object.groupBy(styles, ([, style]) => style!);
    const of = (style: string) => names[style]?.map(([name]) => name).sort();
    expect(of('next')).toEqual(['listAppScans', 'listDeliveries', 'listPasses', 'listPassesV3', 'searchPasses']);
    expect(of('uid')).toEqual(['listApiKeys', 'listAuditLog', 'listPassTimeline', 'listProcesses']);
    expect(of('again')).toEqual(['listWebhookPayloads']);
    // Its reply has two arrays: pending tasks and finished ones.
    expect(of('not a list')).toEqual(['listNotifications']);
    const paged = operations.filter(({ parameters = [] }) =>
      parameters.some(({ name }) => ['pageSize', 'startUid', 'start', 'limit', 'before'].includes(name)),
    );
    expect(paged.filter((operation) => !['next', 'uid', 'again'].includes(callStyle(operation).words[0]!))).toEqual([]);
  });

  test('sends a key with each request that the contract makes repeatable, unless it only reads', () => {
    const without = operations.filter(
      (operation) => operation.method === 'POST' && !callStyle(operation).words.includes('key'),
    );
    expect(without.map(({ operationId }) => operationId).sort()).toEqual(['lintTemplate', 'searchPasses']);
  });
});

test('repeats no lost request that starts work without a key', () => {
  const once = operations.filter((operation) => callStyle(operation).words.includes('once'));
  expect(once.map(({ operationId }) => operationId)).toEqual(['updatePassesV3']);
});

describe('an operation that takes or returns files', () => {
  const files: Contract = {
    info: { title: '', description: '' },
    tags: [{ name: 'Archives', description: '' }],
    webhooks: {},
    paths: {
      '/api/archive': {
        post: {
          operationId: 'importArchive',
          summary: 'Import an archive',
          tags: ['Archives'],
          parameters: [{ name: 'Idempotency-Key', in: 'header', schema: {} }],
          requestBody: { required: true, content: { 'application/zip': {}, 'application/x-tar': {} } },
          responses: { 200: { content: { 'application/json': { schema: { type: 'object' } } } } },
        },
        get: {
          operationId: 'exportArchive',
          summary: 'Export an archive',
          tags: ['Archives'],
          responses: { 200: { content: { 'application/zip': {} } } },
        },
      },
    },
  };

  test('has its type in the table, and accepts and returns bytes', () => {
    const [table, types, postman] = Object.values(generatedFiles(files));
    expect(table).toContain("importArchive: 'POST /api/archive key application/zip',");
    expect(table).toContain("exportArchive: 'GET /api/archive raw',");
    expect(types).toContain(
      "importArchive: { body: FileBody; headers?: { 'Content-Type'?: 'application/zip' | 'application/x-tar' } };",
    );
    expect(types).toContain('export type ExportArchiveReply = Response;');
    expect(Collection.parse(JSON.parse(postman!)).item[0]!.item[0]!.request).toMatchObject({
      header: [{ key: 'Content-Type', value: 'application/zip' }, { key: 'Idempotency-Key' }],
      body: { mode: 'file' },
    });
  });
});

describe('a type', () => {
  test.each([
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'integer' }, 'number'],
    [{ enum: ['a', 1, null] }, "'a' | 1 | null"],
    [{ const: "it's" }, "'it\\'s'"],
    [{ type: 'array', items: { type: ['string', 'number'] } }, '(string | number)[]'],
    [{ type: 'array', maxItems: 0 }, '[]'],
    [{ anyOf: [{ type: 'string' }, {}] }, 'unknown'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{\n  [name: string]: number;\n}'],
    [
      { type: 'object', properties: { a: { type: 'string' }, 'b c': {} }, required: ['a'] },
      "{\n  a: string;\n  'b c'?: unknown;\n}",
    ],
  ])('of %j is in TypeScript’s syntax', (schema, text) => {
    expect(typeOf(schema)).toBe(text);
  });

  test('has as many sentences in its comment as fit, and none ends the comment', () => {
    expect(comment('Ends */ here.', '')).toBe('/** Ends * / here. */\n');
    const long = comment(`${'Word and word. '.repeat(40)}`, '  ');
    expect(long.split('\n').length).toBeLessThanOrEqual(6);
    expect(long).toMatch(/word\.\n {3}\*\/\n$/);
  });
});

/* Format 2.1 of Postman collections, as far as ours uses it. */
const Entry = z.strictObject({
  key: z.string(),
  value: z.string(),
  description: z.string().optional(),
  disabled: z.boolean().optional(),
  type: z.literal('string').optional(),
});
const Auth = z.union([
  z.strictObject({ type: z.literal('apikey'), apikey: z.array(Entry) }),
  z.strictObject({ type: z.literal('noauth') }),
]);
const Url = z.strictObject({
  raw: z.string().startsWith('{{baseUrl}}/'),
  host: z.tuple([z.literal('{{baseUrl}}')]),
  path: z.array(z.string().min(1)),
  query: z.array(Entry).optional(),
  variable: z.array(Entry).optional(),
});
const PostmanRequest = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  description: z.string(),
  header: z.array(Entry),
  url: Url,
  auth: Auth.optional(),
  body: z
    .discriminatedUnion('mode', [
      z.strictObject({
        mode: z.literal('raw'),
        raw: z.string(),
        options: z.strictObject({ raw: z.strictObject({ language: z.literal('json') }) }),
      }),
      z.strictObject({ mode: z.literal('file'), file: z.strictObject({}) }),
    ])
    .optional(),
});
const SavedReply = z.strictObject({
  name: z.string(),
  code: z.int(),
  header: z.array(Entry),
  body: z.string(),
});
const Collection = z.strictObject({
  info: z.strictObject({
    name: z.string(),
    description: z.string(),
    schema: z.literal('https://schema.getpostman.com/json/collection/v2.1.0/collection.json'),
  }),
  auth: Auth,
  variable: z.array(Entry),
  item: z.array(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      item: z.array(z.strictObject({ name: z.string(), request: PostmanRequest, response: z.array(SavedReply) })),
    }),
  ),
});

describe('the Postman collection', () => {
  const collection = Collection.parse(JSON.parse(readFileSync(join(ROOT, 'examples/postman.json'), 'utf8')));
  const requests = collection.item.flatMap(({ item }) => item.map(({ request }) => request));

  test('has a request for each operation, once', () => {
    const named = requests.map(({ method, url }) => `${method} /${url.path.join('/').replace(/:(\w+)/g, '{$1}')}`);
    expect(named.toSorted()).toEqual(operations.map(({ method, path }) => `${method} ${path}`).toSorted());
  });

  test('fills in required parameters, and disables the others', () => {
    for (const { url, body, header } of requests) {
      const variables = url.path.filter((part) => part.startsWith(':')).map((part) => part.slice(1));
      expect((url.variable ?? []).map(({ key }) => key)).toEqual(variables);
      if (body?.mode === 'raw') expect(() => JSON.parse(body.raw)).not.toThrow();
      expect(header.some(({ key }) => key === 'Content-Type')).toBe(body !== undefined);
    }
    const search = requests.find(({ url }) => url.path.join('/') === 'api/v3/pass' && url.query);
    expect(search!.url.query!.every(({ disabled }) => disabled)).toBe(true);
  });

  test('sends the key of its variable', () => {
    expect(collection.variable.map(({ key }) => key)).toEqual(['baseUrl', 'apiKey']);
    expect(collection.auth).toMatchObject({ type: 'apikey' });
    expect(JSON.stringify(collection.auth)).toContain('{{apiKey}}');
    expect(requests.filter(({ auth }) => auth?.type === 'noauth').map(({ url }) => url.path.join('/'))).toEqual([
      'health',
    ]);
  });
});
