import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, type Reply, send } from '../support/api.ts';
import { eventually } from '../support/control.ts';
import { type FuzzAccount, fuzzAccount, localized, namesFor } from '../support/fuzz-account.ts';
import { alike, namesOf, secretsIn, unknownLike, withoutNames } from '../support/strangers.ts';
import { rowsOfAccount, untilAtRest } from '../support/tenant-rows.ts';
import { subscribed } from '../support/webhooks.ts';

/*
 * Every operation of the contract, called with another account's names in path, query and body. The reply must be the
 * one for unknown names, reveal nothing about the other account, and change nothing.
 */

/** Callers choose these names themselves, so a foreign name is free. */
const CALLER_CHOOSES = ['POST /api/v2/pass-bundle/{bundleId}'];
/** The contract specifies 401 for a notification of a template that the caller can't access. */
const TELLS_401 = ['DELETE /api/pass-template/notification/{notification}'];
const IS_OPEN = ['GET /health'];

interface Operation {
  operation: string;
  method: string;
  path: string;
  query: string[];
  example: unknown;
}

const contract = JSON.parse(readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8'));
// biome-ignore lint/suspicious/noExplicitAny: the contract test checks the document's shape
const operations: Operation[] = Object.entries<any>(contract.paths).flatMap(([path, methods]) =>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  Object.entries<any>(methods).map(([method, { parameters = [], requestBody }]) => ({
    operation: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    query: parameters.filter((one: { in: string }) => one.in === 'query').map((one: { name: string }) => one.name),
    example: requestBody?.content['application/json']?.example,
  })),
);

let owner: FuzzAccount;
let nobody: FuzzAccount;
/** Two strangers, so that objects they create are equal. */
let strangers: [Client, Client];
let before: Awaited<ReturnType<typeof rowsOfAccount>>;
let secrets: string[];

beforeAll(async () => {
  owner = await fuzzAccount();
  strangers = [await freshAccount(), await freshAccount()];
  owner.others.payload = [await waitingPayload(owner)];
  nobody = unknownLike(owner);
  await untilAtRest(owner.client.accountId);
  before = await rowsOfAccount(owner.client.accountId);
  secrets = secretsIn(before);
});

afterAll(async () => {
  expect(await rowsOfAccount(owner.client.accountId)).toEqual(before);
});

async function waitingPayload({ client, templates }: FuzzAccount): Promise<string> {
  await subscribed(client, '', { pullMode: true, target_url: undefined, event: 'pass_voided' });
  const { identifier } = await client.createPass(templates[0]!, { userProvidedId: 'payload' });
  await client.put(`/api/pass/${identifier}`, { voided: true });
  return eventually(async () => (await client.get('/api/v3/webhook-payload')).body.data[0]?.id);
}

/** Returns query parameters that use an account's names. */
function queryOf({ path, query }: Operation, account: FuzzAccount): string {
  const { templates, passes, others } = account;
  const groups = [[{ field: 'templateId', operator: 'equals', value: templates[0] }]];
  const known: Record<string, string | undefined> = {
    integrationStyle: 'true',
    passtemplate: templates[0],
    appConfigurationId: others.appconfiguration?.[0],
    webhookId: others.hook?.[0],
    segmentId: query.includes('query') ? undefined : others.segment?.[0],
    // Timeline entries have their own names, which identify no row.
    startUid: path.endsWith('/timeline') ? undefined : passes[0],
    lastIdOfPriorPage: passes[0],
    before: others.deliveries?.[0],
    query: Buffer.from(JSON.stringify({ groups })).toString('base64url'),
  };
  const given = query.flatMap((name): [string, string][] => (known[name] ? [[name, known[name]]] : []));
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
}

/** Calls an operation with an account's names. */
function call(client: Client | undefined, operation: Operation, account: FuzzAccount): Promise<Reply> {
  const { method, path, example } = operation;
  const segments = path.split('/').map((segment, i, all) => {
    const parameter = /^\{(.+)\}$/.exec(segment)?.[1];
    return parameter ? encodeURIComponent(namesFor(account, parameter, all[i - 1]!)[0]!) : segment;
  });
  const address = `${segments.join('/')}${queryOf(operation, account)}` as '/';
  const body = method === 'GET' ? undefined : (localized(example, account) as object);
  return send(method, address, body, client ? { Authorization: client.apiKey } : {});
}

/** Returns the replies to two strangers: one sends the account's names, the other unknown names. */
async function bothReplies(operation: Operation): Promise<[foreign: Reply, unknown: Reply]> {
  const [one, other] = strangers;
  // Waits for work they started earlier.
  await Promise.all([untilAtRest(one.accountId), untilAtRest(other.accountId)]);
  return [await call(one, operation, owner), await call(other, operation, nobody)];
}

describe('a foreign account', () => {
  const named = operations.filter(({ path, operation }) => path.includes('{') && !CALLER_CHOOSES.includes(operation));

  test.for(named)('$operation does not distinguish foreign from unknown names', async (operation) => {
    const [foreign, unknown] = await bothReplies(operation);
    expect(unknown.status).toBe(404);
    if (TELLS_401.includes(operation.operation)) return expect(foreign.status).toBe(401);
    expect(alike(foreign, owner)).toEqual(alike(unknown, nobody));
  });

  test.for(operations.filter((one) => !named.includes(one)))(
    '$operation gives the same reply for foreign and for unknown names in query and body, and reveals nothing',
    async (operation) => {
      const [foreign, unknown] = await bothReplies(operation);
      expect(alike(foreign, owner)).toEqual(alike(unknown, nobody));
      const told = withoutNames(JSON.stringify(foreign.body) ?? '', namesOf(owner));
      expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
    },
  );
});

describe('a caller without a key', () => {
  test.for(operations)('$operation is open to everyone', async (operation) => {
    const [foreign, unknown] = [await call(undefined, operation, owner), await call(undefined, operation, nobody)];
    expect(foreign.status).toBe(IS_OPEN.includes(operation.operation) ? 200 : 401);
    expect(alike(foreign, owner)).toEqual(alike(unknown, nobody));
  });
});
