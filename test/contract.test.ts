import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import * as z from 'zod';
import { EVENT_TYPES } from '../src/domain/events/catalog.ts';
import { Query } from '../src/domain/search/query.ts';
import { type Client, freshAccount, send } from './support/api.ts';

const COMMITTED = join(import.meta.dirname, 'openapi.json');

interface Content {
  schema?: Parameters<typeof z.fromJSONSchema>[0];
  example?: unknown;
}

interface DocumentedOperation {
  operationId?: string;
  summary?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, DocumentedReply>;
}

interface DocumentedReply {
  $ref?: string;
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Content>;
}

interface Contract {
  openapi: string;
  tags: { name: string; description: string }[];
  components: { responses: Record<string, DocumentedReply> };
  paths: Record<string, Record<string, DocumentedOperation>>;
  webhooks: Record<string, { post: DocumentedOperation }>;
}

const text = await (await fetch(`${inject('worker').origin}/openapi.json`)).text();
const contract: Contract = JSON.parse(text);

const operations = Object.entries(contract.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
const callable = operations.filter(({ operation }) => operation.security?.length !== 0);

/** Returns the operations that break a promise, by method and path. */
function breaking(keeps: (operation: DocumentedOperation) => boolean): string[] {
  return operations.filter(({ operation }) => !keeps(operation)).map(({ method, path }) => `${method} ${path}`);
}

describe('the contract', () => {
  test('is the committed one (npm run contract writes it)', () => {
    const formatted = `${JSON.stringify(contract, null, 2)}\n`;
    if (process.env.UPDATE_CONTRACT) writeFileSync(COMMITTED, formatted);
    expect(formatted).toBe(readFileSync(COMMITTED, 'utf8'));
  });

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(text));
    expect(errors ?? []).toEqual([]);
    expect({ valid, version: validator.version }).toEqual({ valid: true, version: '3.1' });
  });

  test('describes each operation and gives it a heading', () => {
    expect(operations.length).toBeGreaterThan(0);
    expect(breaking(({ summary, tags }) => Boolean(summary && tags?.length))).toEqual([]);
  });

  test('gives each operation a unique name', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(names.every(Boolean)).toBe(true);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  test('shows an example of each request body', () => {
    const hasExample = ({ requestBody }: DocumentedOperation) =>
      Object.values(requestBody?.content ?? {}).every(({ example }) => example !== undefined);
    expect(breaking(hasExample)).toEqual([]);
  });

  test('shows an example of each reply that is JSON', () => {
    const hasExamples = ({ responses }: DocumentedOperation) =>
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .every(
          ([, { content }]) => !content?.['application/json'] || content['application/json'].example !== undefined,
        );
    expect(breaking(hasExamples)).toEqual([]);
  });

  test('documents the body posted for each event', () => {
    expect(Object.keys(contract.webhooks)).toEqual(EVENT_TYPES);
    const names = Object.values(contract.webhooks).map(({ post }) => post.operationId);
    expect(new Set([...names, ...operations.map(({ operation }) => operation.operationId)]).size).toBe(
      names.length + operations.length,
    );
  });

  test('shows examples that match their schemas', () => {
    const posted = Object.entries(contract.webhooks).map(([path, { post }]) => ({
      method: 'POST',
      path,
      operation: post,
    }));
    const misfits = [...operations, ...posted].flatMap(({ method, path, operation }) => {
      const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
        Object.values(part?.content ?? {}),
      );
      return contents.flatMap(({ schema, example }) => {
        if (!schema || example === undefined) return [];
        const { error } = z.fromJSONSchema(schema).safeParse(example);
        return error ? [`${method} ${path}: ${z.prettifyError(error)}`] : [];
      });
    });
    expect(misfits).toEqual([]);
  });

  test('shows a stored query that can be sent', () => {
    const { example } = contract.paths['/api/v3/segment']!.get!.responses[200]!.content!['application/json']!;
    const [{ query }] = (example as { data: [{ query: unknown }] }).data;
    expect(Query.safeParse(query).error).toBeUndefined();
  });

  test('documents a success and the rejection of a request without a key', () => {
    const answers = ({ responses }: DocumentedOperation) =>
      Object.keys(responses).some((status) => /^[23]/.test(status));
    expect(breaking(answers)).toEqual([]);
    expect(breaking(({ security, responses }) => security?.length === 0 || '401' in responses)).toEqual([]);
  });
});

describe('the contract documents what all operations have in common', () => {
  const replyOf = (operation: DocumentedOperation, status: number): DocumentedReply | undefined => {
    const reply = operation.responses[status];
    return reply?.$ref ? contract.components.responses[reply.$ref.split('/').at(-1)!] : reply;
  };
  const headersOf = (operation: DocumentedOperation, status: number) =>
    Object.keys(replyOf(operation, status)?.headers ?? {});
  const lacking = (method: RegExp, has: (operation: DocumentedOperation) => boolean) =>
    callable
      .filter((each) => method.test(each.method) && !has(each.operation))
      .map(({ operation }) => operation.operationId);

  test('the failures of each method', () => {
    for (const [method, statuses] of [
      [/./, [400, 401, 429, 500]],
      [/POST|PUT|PATCH|DELETE/, [413, 415]],
      [/POST/, [409, 422]],
    ] as const) {
      for (const status of statuses)
        expect([status, lacking(method, (one) => Boolean(replyOf(one, status)?.content))]).toEqual([status, []]);
    }
  });

  test('what 409 means if it is not only about a repeated key', () => {
    const text = (id: string) =>
      replyOf(operations.find(({ operation }) => operation.operationId === id)!.operation, 409)?.description;
    expect(text('createProject')).toBe('The first request with this Idempotency-Key is still running');
    for (const id of ['testSubscription', 'resendDelivery', 'recoverEvents'])
      expect(text(id)).toMatch(/^The subscription is paused.*Or: The first/);
    for (const id of ['updatePassV3', 'replacePassV3', 'voidPass', 'patchTemplate', 'voidBundle'])
      expect(text(id)).toMatch(/^The \w+ is being changed by many/);
    expect(text('updatePassV3')).not.toContain('Idempotency-Key');
    expect(text('listProjects')).toBeUndefined();
  });

  test('the headers of requests', () => {
    const takes = (name: string) => (one: DocumentedOperation) =>
      Boolean(one.parameters?.some((each) => each.in === 'header' && each.name === name));
    expect(lacking(/./, takes('X-D1-Bookmark'))).toEqual([]);
    expect(lacking(/POST/, takes('Idempotency-Key'))).toEqual([]);
    const preferring = operations.filter(({ operation }) => takes('Prefer')(operation));
    expect(preferring.map(({ path }) => path)).toEqual(['/api/hook/subscribe', '/api/hook/subscribe/{template}']);
  });

  test('the headers of replies', () => {
    expect(
      lacking(/./, (one) => ['RateLimit', 'Retry-After'].every((name) => headersOf(one, 429).includes(name))),
    ).toEqual([]);
    const succeeds = (one: DocumentedOperation) =>
      Number(Object.keys(one.responses).find((status) => status.startsWith('2')));
    expect(lacking(/POST/, (one) => headersOf(one, succeeds(one)).includes('Idempotent-Replayed'))).toEqual([]);
    expect(lacking(/./, (one) => headersOf(one, succeeds(one)).includes('X-D1-Bookmark'))).toEqual([]);
    expect(lacking(/./, (one) => !headersOf(one, 401).includes('RateLimit-Policy'))).toEqual([]);
  });

  test('the headings, each with a sentence', () => {
    expect(
      breaking(({ tags }) => contract.tags.some(({ name, description }) => name === tags?.[0] && description !== '')),
    ).toEqual([]);
  });

  test('the health check for load balancers, which needs no key', () => {
    expect(contract.paths['/health']?.get).toMatchObject({ security: [], responses: { 200: {}, 503: {} } });
  });
});

describe('every operation', () => {
  let client: Client;
  beforeAll(async () => {
    client = await freshAccount();
  });

  const wrongKeys = (apiKey: string): Record<string, string | undefined> => ({
    'no key': undefined,
    'an empty key': '',
    'a text that is no key': 'nonsense',
    'an unknown key': `pk_${'0'.repeat(16)}_${'0'.repeat(43)}`,
    'a known key with another secret': apiKey.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    'a key in another scheme': `Basic ${apiKey}`,
  });

  test.for(callable)('$method $path rejects callers without a valid key', async ({ method, path }) => {
    const target = path.replace(/\{\w+\}/g, crypto.randomUUID()) as `/${string}`;
    const body = method === 'GET' ? undefined : {};
    for (const [kind, key] of Object.entries(wrongKeys(client.apiKey))) {
      const reply = await send(method, target, body, key === undefined ? {} : { Authorization: key });
      expect(reply.status, kind).toBe(401);
      expect(reply.body, kind).toMatchObject(errorShape(path));
      expect(reply.headers.get('X-Request-Id'), kind).toBeTruthy();
    }
  });

  /** Returns the error body of a path's version. */
  function errorShape(path: string): object {
    if (!/^\/api\/v[23]\//.test(path)) return { ErrorMessage: expect.any(String) };
    return {
      success: false,
      description: expect.any(String),
      errors: [expect.any(String)],
      data: [],
      statusCode: 401,
    };
  }
});
