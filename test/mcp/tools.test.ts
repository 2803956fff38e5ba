import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { toJsonSchema } from '../../src/api/json-schema.ts';
import type { ApiRequest } from '../../src/mcp/tool.ts';
import { TOOLS } from '../../src/mcp/tools/index.ts';
import { freshAccount } from '../support/api.ts';
import { assistantOf } from '../support/mcp.ts';

/* The list of tools, compared with the contract of the API that they call. */

interface Operation {
  method: string;
  path: string;
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: { properties: Record<string, unknown> } }> };
  'x-required-scope': string;
  'x-whole-account'?: boolean;
  operationId: string;
}

const contract = JSON.parse(readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8'));
const operations = Object.entries<Record<string, Operation>>(contract.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
);
const operationOf = (id: string) => operations.find(({ operationId }) => operationId === id)!;

const NAMES = [
  'list_templates',
  'describe_template',
  'create_pass',
  'read_pass',
  'update_pass',
  'void_pass',
  'search_passes',
  'pass_timeline',
  'send_push',
  'record_scan',
  'list_scans',
  'bulk_update',
  'process_status',
  'webhook_health',
];
const READ_ONLY = NAMES.filter((name) => /^(list|describe|read|search)_|timeline|status|health/.test(name));
const DESTRUCTIVE = ['update_pass', 'void_pass', 'record_scan', 'bulk_update'];

/**
 * Names that differ from the API, which has them in headers or paths, and pagination of lists that tools return whole.
 */
const OTHER_NAMES: Record<string, string[]> = {
  list_templates: ['pageSize', 'start'],
  webhook_health: ['pageSize', 'start'],
  list_scans: ['appConfigurationId'],
  create_pass: ['idempotencyKey'],
  send_push: ['idempotencyKey'],
  record_scan: ['idempotencyKey'],
};

/** Arguments with arbitrary values, for inspecting `request`. */
const SAMPLE: Record<string, unknown> = {
  id: 'x/..?y',
  data: {},
  pushNotificationText: 'Hello',
  appConfigurationId: 'a',
};

function requestOf(name: string): ApiRequest {
  const { input, request } = TOOLS.find((one) => one.name === name)!;
  const args = Object.fromEntries(Object.entries(SAMPLE).filter(([argument]) => argument in input.shape));
  return request(input.parse(args));
}

describe('the tools', () => {
  test('are 14, listed with schemas and hints, in little more than 20 KB', async () => {
    const { sdk } = await assistantOf(await freshAccount());
    const { tools } = await sdk.listTools();
    expect(tools.map(({ name }) => name)).toEqual(NAMES);
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema, name).toMatchObject({ type: 'object' });
      expect(title!.length, name).toBeGreaterThan(5);
      expect(description, name).toMatch(/^[A-Z].{30,}\.$/);
      expect(annotations, name).toEqual({
        title,
        readOnlyHint: READ_ONLY.includes(name),
        destructiveHint: DESTRUCTIVE.includes(name),
        idempotentHint: expect.any(Boolean),
        openWorldHint: expect.any(Boolean),
      });
    }
    expect(JSON.stringify(tools).length).toBeLessThan(24_000);
  });

  test.each(NAMES)('%s calls one operation of the contract, with its scope', (name) => {
    const tool = TOOLS.find((one) => one.name === name)!;
    const operation = operationOf(tool.operation);
    expect([tool.scope, tool.isAccountWide]).toEqual([operation['x-required-scope'], operation['x-whole-account']]);
    const { method, path } = requestOf(name);
    const pattern = new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/?]+')}$`);
    expect([method, path]).toEqual([operation.method, expect.stringMatching(pattern)]);
    expect(tool.hints.readOnlyHint).toBe(method === 'GET' || name === 'search_passes');
  });

  test.each(NAMES)('%s has arguments with the names of the API', (name) => {
    const { operation: id, input } = TOOLS.find((one) => one.name === name)!;
    const { parameters, requestBody } = operationOf(id);
    const body = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => Object.keys(schema.properties));
    const known = [...parameters.map((one) => one.name), ...body, ...(OTHER_NAMES[name] ?? [])];
    expect(Object.keys(input.shape).filter((argument) => !known.includes(argument))).toEqual([]);
  });

  test('never delete', () => {
    expect(TOOLS.map(({ name }) => requestOf(name).method).filter((method) => String(method) === 'DELETE')).toEqual([]);
    expect(TOOLS.filter(({ operation }) => /delete|erase|cancel/i.test(operation))).toEqual([]);
  });

  test('give the type of each argument in one word, besides null, which every model understands', () => {
    const typeless: string[] = [];
    const look = (at: string, schema: unknown) => {
      const { anyOf, properties = {} } = schema as { anyOf?: object[]; properties?: object };
      const types = (anyOf ?? [schema]).flatMap((one) => (one as { type?: string | string[] }).type ?? []);
      if (types.filter((one) => one !== 'null').length !== 1) typeless.push(at);
      for (const [name, one] of Object.entries(properties)) look(`${at}.${name}`, one);
    };
    for (const { name, input } of TOOLS) look(name, toJsonSchema(input as z.ZodType, 'input'));
    expect(typeless).toEqual([]);
  });
});
