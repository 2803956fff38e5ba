import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshAccount, type Reply } from '../support/api.ts';
import { createConfiguration } from '../support/app-scans.ts';
import { eventually } from '../support/control.ts';
import { type FuzzAccount, fuzzAccount, localized, namesFor } from '../support/fuzz-account.ts';
import { pullRows } from '../support/payloads.ts';
import { sampleTemplate } from '../support/samples.ts';

/*
 * Identifiers in requests are case-insensitive.
 */

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

/** Callers choose the names of bundles, so these are case-sensitive. */
const named = operations.filter(({ path }) => path.includes('{') && !path.includes('{bundleId}'));

async function accountWithSegment(): Promise<FuzzAccount> {
  const account = await fuzzAccount();
  const segment = await account.client.post('/api/v3/segment', { title: 'All', query: {} });
  account.others.segment = [segment.body.data.identifier];
  const process = `/api/v3/process/${account.others.process![0]}` as const;
  await eventually(async () => (await account.client.get(process)).body.data.status !== 'in progress');
  return account;
}

function call(
  account: FuzzAccount,
  { method, path, query, example }: Operation,
  written: (id: string) => string,
): Promise<Reply> {
  const segments = path.split('/').map((segment, i, all) => {
    const parameter = /^\{(.+)\}$/.exec(segment)?.[1];
    return parameter ? encodeURIComponent(written(namesFor(account, parameter, all[i - 1]!)[0]!)) : segment;
  });
  const flags = query.includes('integrationStyle') ? '?integrationStyle=true' : '';
  const body = method === 'GET' ? undefined : (localized(example, account) as object);
  const send = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' }[method] as 'post';
  return account.client[send](`${segments.join('/')}${flags}` as '/', body);
}

const upper = (id: string) => id.toUpperCase();
const same = (id: string) => id;

let account: FuzzAccount;
beforeAll(async () => {
  account = await accountWithSegment();
});

describe('in a path', () => {
  test.for(named.filter(({ method }) => method === 'GET'))('$operation gives the same', async (operation) => {
    const before = await call(account, operation, same);
    const raised = await call(account, operation, upper);
    const after = await call(account, operation, same);
    expect([before.status, raised.status]).toEqual([200, 200]);
    // Deliveries and processes may continue meanwhile.
    expect([before.body, after.body]).toContainEqual(raised.body);
  });

  test.for(named.filter(({ method }) => !['GET', 'DELETE'].includes(method)))(
    '$operation finds it',
    async (operation) => {
      expect((await call(account, operation, same)).status).not.toBe(404);
      expect((await call(account, operation, upper)).status).not.toBe(404);
    },
  );

  test.for(named.filter(({ method }) => method === 'DELETE'))('$operation finds it', async (operation) => {
    const own = await accountWithSegment();
    const deleted = await call(own, operation, upper);
    expect([deleted.status, operation.path.includes('process') || (await call(own, operation, same)).status]).toEqual([
      200,
      operation.path.includes('process') || 404,
    ]);
  });

  test('a name that the caller chose is case-sensitive', async () => {
    const { client } = account;
    const chosen = crypto.randomUUID().toUpperCase();
    const pass = await client.createPass(account.templates[0]!, { userProvidedId: chosen, bundleId: 'Kept' });
    expect((await client.get(`/api/pass/${chosen}`)).body.identifier).toBe(pass.identifier);
    expect((await client.get(`/api/pass/${chosen.toLowerCase()}`)).status).toBe(404);
    expect((await client.get('/api/v2/pass-bundle/kept')).status).toBe(404);
    const own = await freshAccount();
    const id = await own.createTemplate({ userProvidedId: chosen });
    expect((await own.get(`/api/v2/pass-template/${chosen}/describe`)).body.data.identifier).toBe(id);
    expect((await own.get(`/api/v2/pass-template/${chosen.toLowerCase()}/describe`)).status).toBe(404);
  });

  test('an identifier takes precedence over a userProvidedId that differs only in case', async () => {
    const own = await freshAccount();
    const first = await own.createTemplate();
    const pass = await own.createPass(first);
    await own.createTemplate({ userProvidedId: first.toUpperCase() });
    await own.createPass(first, { userProvidedId: pass.identifier.toUpperCase() });
    const described = await own.get(`/api/v2/pass-template/${first.toUpperCase()}/describe`);
    expect(described.body.data.identifier).toBe(first);
    expect((await own.get(`/api/pass/${pass.identifier.toUpperCase()}`)).body.identifier).toBe(pass.identifier);
  });
});

/** Removes a pass's save link, which contains its creation second. */
const withoutTime = ({ walletSaveUri: _, ...pass }: { walletSaveUri: string }) => pass;

describe('in a query or a body', () => {
  test('of a pass', async () => {
    const { client, templates } = account;
    const template = upper(templates[0]!);
    const created = await client.post('/api/v3/pass?async=false', { data: { templateId: template } });
    expect(created.status).toBe(200);
    expect((await client.post(`/api/pass?passtemplate=${template}`, {})).status).toBe(201);
    const pass = upper(created.body.data.identifier);
    const scanner = await createConfiguration(client, { place: 'Gate', passTemplateIds: [template] });
    expect(scanner.passTemplateIds).toEqual([templates[0]]);
    for (const version of ['', '/v3']) {
      const reply = await client.get(
        `/api${version}/pass/${pass}?appConfigurationId=${upper(scanner.configurationId)}`,
      );
      expect(reply.status).toBe(200);
    }
    const scan = { appConfigurationId: upper(scanner.configurationId), passId: pass };
    expect((await client.post('/api/appscan', scan)).body.passId).toBe(pass.toLowerCase());
    expect((await client.get(`/api/appscan?appConfigurationId=${upper(scanner.configurationId)}`)).body).toHaveLength(
      1,
    );
    const bundle = await client.post('/api/v2/pass-bundle/odd-case', { passes: [pass] });
    expect(bundle.status).toBe(200);
    const push = { listOfPasses: [pass], pushNotificationText: 'Hi' };
    expect((await client.post('/api/pass/sendpushnotifications', push)).status).toBe(202);
  });

  test('of a bulk request, and of a query', async () => {
    const { client, templates, passes, others } = account;
    const [template, project, segment] = [templates[0]!, others.project![0]!, others.segment![0]!].map(upper);
    const data = { storedValue: 3 };
    const counted = async (filter: object) => {
      const reply = await client.patch('/api/v3/pass/bulk', { data, filter, dryRun: true });
      return [reply.status, reply.body.count, reply.body.data?.errors];
    };
    expect(await counted({ identifiers: [upper(passes[1]!)] })).toEqual([200, 1, null]);
    const inTemplate = (await client.get('/api/v3/pass')).body.responseMetaData.resultsTotal;
    for (const filter of [{ query: { templateId: template, projectId: project } }, { segmentId: segment }]) {
      expect(await counted(filter)).toEqual([200, inTemplate, null]);
    }
    expect((await client.get(`/api/v3/pass?segmentId=${segment}`)).body.responseMetaData.resultsTotal).toBe(inTemplate);
    const one = { groups: [[{ field: 'identifier', operator: 'equals', value: upper(passes[1]!) }]] };
    const found = await client.post('/api/v3/passinstance/search', { query: { templateId: template, ...one } });
    expect(found.body.data).toMatchObject([{ identifier: passes[1], templateId: templates[0] }]);
    const create = { templateId: template, passes: [{}], dryRun: true };
    expect((await client.post('/api/v3/pass/bulk/create', create)).body.count).toBe(1);
  });

  test('of the last item of a page', async () => {
    const { client, templates, others } = account;
    const first = (await client.get(`/api/pass/list/${templates[0]}?pageSize=1`)).body;
    const next = new URL(first.query.next);
    const last = next.searchParams.get('lastIdOfPriorPage')!;
    next.searchParams.set('lastIdOfPriorPage', upper(last));
    const [lower, raised] = [await client.get(first.query.next), await client.get(next.href as '/')];
    expect(raised.body.results).toEqual(lower.body.results);
    expect(raised.body.query.self).toBe(lower.body.query.self);
    const { body } = await client.get(`/api/v3/pass?pageSize=1`);
    const page = new URL(body.page.next);
    page.searchParams.set('startUid', upper(page.searchParams.get('startUid')!));
    const pagesOf = async (path: string) => (await client.get(path as '/')).body.data.map(withoutTime);
    expect(await pagesOf(page.href)).toEqual(await pagesOf(body.page.next));
    const process = upper(others.process![0]!);
    expect((await client.get(`/api/v3/process?startUid=${process}`)).body).toMatchObject({ success: true });
    const [subscription, delivery] = [upper(others.hook![0]!), upper(others.deliveries![0]!)];
    expect((await client.get(`/api/hook/${subscription}/deliveries?before=${delivery}`)).status).toBe(200);
  });

  test('of a stored payload', async () => {
    const own = await freshAccount();
    const rows = pullRows(own);
    const [id] = await rows.store(1);
    const listed = await own.get(`/api/v3/webhook-payload?webhookId=${upper(rows.webhookId)}`);
    expect(listed.body.data).toMatchObject([{ id }]);
    const acknowledged = { upTo: upper(id!), webhookId: upper(rows.webhookId) };
    expect((await own.post('/api/v3/webhook-payload/acknowledge', acknowledged)).body.data).toEqual({
      acknowledged: 1,
    });
  });

  test('of a project is written in lower case', async () => {
    const { client, others } = account;
    const definition = sampleTemplate({ projectId: upper(others.project![0]!) });
    const { identifier } = (await client.post('/api/v2/pass-template', definition)).body.data;
    const described = await client.get(`/api/v2/pass-template/${identifier}/describe`);
    expect(described.body.data.projectId).toBe(others.project![0]);
  });
});
