import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { KeyScopes } from '../../src/domain/api-keys/key-fields.ts';
import { grants, SCOPES, type Scope } from '../../src/domain/api-keys/scopes.ts';
import { admin, type Client, freshAccount, send } from '../support/api.ts';
import { d1 } from '../support/control.ts';

/* What a key may do: every operation of the committed contract names its required scope. */

interface Operation {
  method: string;
  path: string;
  scope?: Scope;
  isOpen: boolean;
}

const contract = JSON.parse(readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8'));
const operations: Operation[] = Object.entries<Record<string, Record<string, unknown>>>(contract.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, '01980b5e-4a30-7a52-9c11-0242ac120002'),
      scope: operation['x-required-scope'] as Scope | undefined,
      isOpen: Array.isArray(operation.security) && operation.security.length === 0,
    })),
);
const secured = operations.filter(({ isOpen }) => !isOpen);

let account: Client;
const keys = new Map<string, string>();
async function keyWith(...scope: string[]): Promise<string> {
  const name = scope.join(' ');
  if (!keys.has(name)) {
    const { apiKey } = await admin<{ apiKey: string }>('api-key create', {
      account: account.accountId,
      name: 'k',
      scope,
    });
    keys.set(name, apiKey);
  }
  return keys.get(name)!;
}
beforeAll(async () => {
  account = await freshAccount();
});

const messageOf = (body: Record<string, unknown>) => body.ErrorMessage ?? (body.errors as string[]).join('; ');
const bodyFor = (method: string) => (method === 'GET' || method === 'DELETE' ? undefined : {});

describe('an operation', () => {
  test('names a scope, unless it needs no key', () => {
    expect(secured.filter(({ scope }) => !scope || !SCOPES.includes(scope))).toEqual([]);
    expect(operations.filter(({ isOpen, scope }) => isOpen && scope)).toEqual([]);
  });

  test.for(secured)(
    '$method $path rejects a key without its scope, and accepts one with it',
    async ({ method, path, scope }) => {
      const others = SCOPES.filter((one) => !grants([one], scope!));
      const refused = await send(method, path as '/', bodyFor(method), { Authorization: await keyWith(...others) });
      expect([refused.status, messageOf(refused.body)]).toEqual([403, `missing scope: ${scope}`]);
      const taken = await send(method, path as '/', bodyFor(method), { Authorization: await keyWith(scope!) });
      expect(taken.status).not.toBe(403);
    },
  );
});

describe('scopes', () => {
  test('for writing include reading', () => {
    expect(grants(['passes:write'], 'passes:read')).toBe(true);
    expect(grants(['passes:write'], 'templates:read')).toBe(false);
    expect(grants(['passes:read'], 'passes:write')).toBe(false);
    expect(SCOPES.every((scope) => grants(['*'], scope))).toBe(true);
    expect(grants(SCOPES, '*')).toBe(false);
  });

  test('are a list without duplicates, or only *', () => {
    expect(KeyScopes.parse(['passes:read', 'passes:read'])).toEqual(['passes:read']);
    expect(KeyScopes.safeParse(['*', 'passes:read']).success).toBe(false);
    expect(KeyScopes.safeParse([]).success).toBe(false);
    expect(KeyScopes.safeParse(['passes']).success).toBe(false);
  });

  test('default to all, also for earlier keys', async () => {
    const { apiKeyId } = await admin<{ apiKeyId: string }>('api-key create', {
      account: account.accountId,
      name: 'All',
    });
    expect(await d1('select scopes from api_keys where id = ?', [apiKeyId])).toEqual([{ scopes: '["*"]' }]);
    await d1(
      "insert into api_keys (id, account_id, name, lookup, secret_digest, created_at) select id || 'x', account_id, 'Old', 'x' || substr(id, 1, 15), '', 0 from api_keys where id = ?",
      [apiKeyId],
    );
    expect(await d1('select scopes from api_keys where id = ?', [`${apiKeyId}x`])).toEqual([{ scopes: '["*"]' }]);
  });

  test('apply to stored replies, too: a key does not get another key’s reply', async () => {
    const body = { name: 'Gold' };
    const headers = { 'Idempotency-Key': 'once' };
    expect((await send('POST', '/api/v3/project', body, { ...headers, Authorization: account.apiKey })).status).toBe(
      201,
    );
    const other = await send('POST', '/api/v3/project', body, {
      ...headers,
      Authorization: await keyWith('passes:write'),
    });
    expect([other.status, other.headers.get('Idempotent-Replayed')]).toEqual([403, null]);
  });
});
