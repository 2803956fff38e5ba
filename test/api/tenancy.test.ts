import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { type FuzzAccount, fuzzAccount, localized, namesFor } from '../support/fuzz-account.ts';

/*
 * Every operation of the contract that names something in its path, called for what belongs to another account: the reply is the one for what does not exist.
 */

/** Names what the caller may choose itself, so that a foreign name is just free (decisions §8, "Bundles"). */
const CALLER_CHOOSES = ['POST /api/v2/pass-bundle/{bundleId}'];
/** "401 when the notification belongs to a template the caller cannot access" (specification, "Template endpoints (v1)"). */
const TELLS_401 = ['DELETE /api/pass-template/notification/{notification}'];

interface Named {
  operation: string;
  method: string;
  path: string;
  query: string[];
  example: unknown;
}

const contract = JSON.parse(readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8'));
// biome-ignore lint/suspicious/noExplicitAny: the contract test checks the document's shape
const named: Named[] = Object.entries<any>(contract.paths).flatMap(([path, methods]) =>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  Object.entries<any>(methods).map(([method, { parameters = [], requestBody }]) => ({
    operation: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    query: parameters.filter((one: { in: string }) => one.in === 'query').map((one: { name: string }) => one.name),
    example: requestBody?.content['application/json'].example,
  })),
);

let owner: FuzzAccount;
let stranger: Client;
beforeAll(async () => {
  [owner, stranger] = await Promise.all([fuzzAccount(), freshAccount()]);
});

test.for(named.filter(({ path, operation }) => path.includes('{') && !CALLER_CHOOSES.includes(operation)))(
  '$operation does not tell what is foreign from what is unknown',
  async ({ operation, method, path, query, example }) => {
    const call = (nameOf: (parameter: string, before: string) => string) => {
      const segments = path.split('/').map((segment, i, all) => {
        const parameter = /^\{(.+)\}$/.exec(segment)?.[1];
        return parameter ? encodeURIComponent(nameOf(parameter, all[i - 1]!)) : segment;
      });
      const flags = query.includes('integrationStyle') ? '?integrationStyle=true' : '';
      const body = method === 'GET' ? undefined : (localized(example, owner) as object);
      const send = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' }[method] as 'post';
      return stranger[send](`${segments.join('/')}${flags}` as '/', body);
    };
    const foreign = await call((parameter, before) => namesFor(owner, parameter, before)[0]!);
    const unknown = await call(() => crypto.randomUUID());
    expect(unknown.status).toBe(404);
    if (TELLS_401.includes(operation)) return expect(foreign.status).toBe(401);
    expect([foreign.status, foreign.body]).toEqual([unknown.status, unknown.body]);
  },
);
