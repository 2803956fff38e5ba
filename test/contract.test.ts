import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { EVENT_TYPES } from '../src/domain/events/catalog.ts';
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
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { description?: string; content?: Record<string, Content> }>;
}

interface Contract {
  openapi: string;
  paths: Record<string, Record<string, DocumentedOperation>>;
  webhooks: Record<string, { post: DocumentedOperation }>;
}

const text = await (await fetch(`${inject('worker').origin}/openapi.json`)).text();
const contract: Contract = JSON.parse(text);

const operations = Object.entries(contract.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
const callable = operations.filter(({ operation }) => operation.security?.length !== 0);

/** Those of the operations that break a promise, by method and path. */
function breaking(keeps: (operation: DocumentedOperation) => boolean): string[] {
  return operations.filter(({ operation }) => !keeps(operation)).map(({ method, path }) => `${method} ${path}`);
}

describe('the contract', () => {
  it('is the committed one (npm run contract writes it)', () => {
    const formatted = `${JSON.stringify(contract, null, 2)}\n`;
    if (process.env.UPDATE_CONTRACT) writeFileSync(COMMITTED, formatted);
    expect(formatted).toBe(readFileSync(COMMITTED, 'utf8'));
  });

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(text));
    expect(errors ?? []).toEqual([]);
    expect({ valid, version: validator.version }).toEqual({ valid: true, version: '3.1' });
  });

  it('says of each operation what it does and under which heading', () => {
    expect(operations.length).toBeGreaterThan(0);
    expect(breaking(({ summary, tags }) => Boolean(summary && tags?.length))).toEqual([]);
  });

  it('gives each operation a name of its own', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(names.every(Boolean)).toBe(true);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('shows an example of each request body', () => {
    const hasExample = ({ requestBody }: DocumentedOperation) =>
      Object.values(requestBody?.content ?? {}).every(({ example }) => example !== undefined);
    expect(breaking(hasExample)).toEqual([]);
  });

  it('documents what is posted for each event', () => {
    expect(Object.keys(contract.webhooks)).toEqual(EVENT_TYPES);
    const names = Object.values(contract.webhooks).map(({ post }) => post.operationId);
    expect(new Set([...names, ...operations.map(({ operation }) => operation.operationId)]).size).toBe(
      names.length + operations.length,
    );
  });

  it('shows examples that fit their schemas', () => {
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

  it('documents a success and the refusal of a request without a key', () => {
    const answers = ({ responses }: DocumentedOperation) =>
      Object.keys(responses).some((status) => /^[23]/.test(status));
    expect(breaking(answers)).toEqual([]);
    expect(breaking(({ security, responses }) => security?.length === 0 || '401' in responses)).toEqual([]);
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

  it.for(callable)('$method $path refuses whoever has no valid key', async ({ method, path }) => {
    const target = path.replace(/\{\w+\}/g, crypto.randomUUID()) as `/${string}`;
    const body = method === 'GET' ? undefined : {};
    for (const [kind, key] of Object.entries(wrongKeys(client.apiKey))) {
      const reply = await send(method, target, body, key === undefined ? {} : { Authorization: key });
      expect(reply.status, kind).toBe(401);
      expect(reply.body, kind).toMatchObject(errorShape(path));
      expect(reply.headers.get('X-Request-Id'), kind).toBeTruthy();
    }
  });

  /** The error body of the version that a path belongs to (decisions §1, "Error bodies"). */
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
