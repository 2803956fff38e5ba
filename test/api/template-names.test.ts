import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { createConfiguration } from '../support/app-scans.ts';
import { costOf } from '../support/control.ts';
import { ended } from '../support/processes.ts';
import { sampleTemplate } from '../support/samples.ts';

/*
 * A template's userProvidedId works wherever a request names a template.
 */

let client: Client;
let id: string;
const NAME = 'night/train 1';
const IN_PATH = encodeURIComponent(NAME);

beforeAll(async () => {
  client = await freshAccount();
  const project = (await client.post('/api/v3/project', { name: 'Trains' })).body.data.identifier;
  id = await client.createTemplate({ userProvidedId: NAME, projectId: project });
});

describe('a path takes the userProvidedId', () => {
  test('to read', async () => {
    const fields = await client.get(`/api/pass-template/${IN_PATH}?integrationStyle=true`);
    expect(fields.body).toEqual((await client.get(`/api/pass-template/${id}?integrationStyle=true`)).body);
    const described = await client.get(`/api/v2/pass-template/${IN_PATH}/describe`);
    expect(described.body.data).toMatchObject({ identifier: id, userProvidedId: NAME });
  });

  test('to change and publish', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate({ userProvidedId: 'mine' });
    const described = async () => (await own.get(`/api/v2/pass-template/${template}/describe`)).body.data;
    expect((await own.patch('/api/v2/pass-template/mine', { logoText: 'Patched' })).status).toBe(200);
    expect(await described()).toMatchObject({ logoText: 'Patched' });
    const replaced = sampleTemplate({ logoText: 'Replaced', userProvidedId: 'mine' });
    expect((await own.post('/api/v2/pass-template/mine', replaced)).status).toBe(200);
    expect(await described()).toMatchObject({ logoText: 'Replaced' });
    expect((await own.post('/api/pass-template/mine', { name: 'Updated' })).status).toBe(200);
    expect(await described()).toMatchObject({ name: 'Updated' });
    expect((await own.post('/api/v2/pass-template/mine/publish')).status).toBe(201);
    expect((await own.post('/api/v2/pass-template/mine/publish')).status).toBe(200);
    const renamed = await own.patch('/api/v2/pass-template/mine', { userProvidedId: 'other' });
    expect(renamed.status).toBe(200);
    expect((await own.get('/api/v2/pass-template/mine/describe')).status).toBe(404);
    expect((await own.get('/api/v2/pass-template/other/describe')).body.data.identifier).toBe(template);
  });

  test('to copy; the copy has none unless the body sets one', async () => {
    const plain = (await client.post(`/api/pass-template/copy/${IN_PATH}`, { name: 'Plain' })).body.identifier;
    const named = { name: 'Named', userProvidedId: 'the-copy' };
    const other = (await client.post(`/api/pass-template/copy/${IN_PATH}`, named)).body.identifier;
    const customer = { company_name: 'Sub', last_name: 'Lovelace' };
    const target = (await client.post('/api/customer', customer)).body.customer_identifier.toUpperCase();
    expect((await client.post(`/api/pass-template/copy/${IN_PATH}/${target}`, { name: 'Theirs' })).status).toBe(201);
    const nameOf = async (one: string) =>
      (await client.get(`/api/v2/pass-template/${one}/describe`)).body.data.userProvidedId ?? null;
    expect([await nameOf(plain), await nameOf(other), await nameOf(id)]).toEqual([null, 'the-copy', NAME]);
  });

  test('for its notifications', async () => {
    const path = `/api/pass-template/${IN_PATH}/notification` as const;
    const sent = { pushNotificationText: 'Soon', publicationDate: '2099-01-01 10:00' };
    const { notificationId } = (await client.post(path, sent)).body;
    const lists = await client.get(`/api/pass-template/${id}/notification`);
    expect(lists.body.scheduledTasks).toMatchObject([{ notificationId }]);
    expect((await client.get(path)).body).toEqual(lists.body);
    expect((await client.delete(`/api/pass-template/notification/${notificationId}`)).status).toBe(200);
  });

  test('for the list of its passes, whose addresses show the identifier', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate({ userProvidedId: NAME });
    for (let i = 0; i < 3; i++) await own.createPass(template);
    const first = (await own.get(`/api/pass/list/${IN_PATH}?pageSize=2`)).body;
    expect([first.total, first.results.length]).toEqual([3, 2]);
    expect(first.query.self).toContain(`/api/pass/list/${template}?`);
    expect((await own.get(first.query.next)).body.results).toHaveLength(1);
  });

  test('for a subscription', async () => {
    const body = { target_url: 'https://example.com/hook', event: 'pass_created' };
    expect((await client.post(`/api/hook/subscribe/${IN_PATH}`, body)).status).toBe(201);
    expect((await client.post(`/api/hook/subscribe/${id}`, body)).status).toBe(201);
    expect((await client.get('/api/hook/list')).body).toMatchObject([{ pass_template: id }]);
    expect((await client.post('/api/hook/subscribe/nobody', body)).status).toBe(404);
  });

  test('for the target of a move', async () => {
    const { projectId } = (await client.get(`/api/v2/pass-template/${id}/describe`)).body.data;
    const from = await client.createTemplate({ projectId });
    const { identifier } = await client.createPass(from);
    expect((await client.post(`/api/v2/pass/${identifier}/movetotemplate/${IN_PATH}`)).status).toBe(200);
    expect((await client.get(`/api/pass/${identifier}`)).body.passTemplateGuid).toBe(id);
    expect((await client.post(`/api/v2/pass/${identifier}/movetotemplate/nobody`)).status).toBe(404);
  });

  test('to delete, with its passes and notifications', async () => {
    const own = await freshAccount();
    const [template, other] = [await own.createTemplate({ userProvidedId: 'gone' }), await own.createTemplate()];
    const { identifier } = await own.createPass(template);
    expect((await own.delete('/api/pass-template/gone')).status).toBe(200);
    expect((await own.get(`/api/pass/${identifier}`)).status).toBe(404);
    expect((await own.get('/api/pass-template')).body).toMatchObject([{ identifier: other }]);
    expect((await own.delete('/api/pass-template/gone')).status).toBe(404);
  });
});

describe('a query or body takes the userProvidedId', () => {
  test('to create passes, at the same cost as by identifier', async () => {
    const created = await client.post(`/api/pass?passtemplate=${IN_PATH}`, {});
    expect(created.status).toBe(201);
    expect((await client.get(`/api/pass/${created.body.identifier}`)).body.passTemplateGuid).toBe(id);
    const replies = [];
    for (const templateId of [id, NAME]) replies.push(await client.post('/api/v3/pass', { data: { templateId } }));
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const [byId, byName] = await Promise.all(replies.map(costOf));
    expect(byName).toEqual(byId);
    const bulk = await client.post('/api/v3/pass/bulk/create', { templateId: NAME, passes: [{}, {}] });
    expect(await ended(client, bulk)).toMatchObject({ status: 'finished', current: 2 });
  });

  test('of no template returns 404', async () => {
    expect((await client.post('/api/pass?passtemplate=nobody', {})).status).toBe(404);
    expect((await client.post('/api/v3/pass', { data: { templateId: 'nobody' } })).status).toBe(404);
    expect((await client.post('/api/v3/pass/bulk/create', { templateId: 'nobody', passes: [] })).status).toBe(404);
    expect((await client.post('/api/v3/passinstance/search', { query: { templateId: 'nobody' } })).status).toBe(404);
    const foreign = await freshAccount();
    expect((await foreign.post('/api/v3/pass', { data: { templateId: NAME } })).status).toBe(404);
    expect((await foreign.get(`/api/pass/list/${IN_PATH}`)).status).toBe(404);
  });

  test('of an app configuration, which shows the identifier', async () => {
    const other = await client.createTemplate({ userProvidedId: 'second' });
    const one = await createConfiguration(client, { passTemplateId: NAME });
    expect(one).toMatchObject({ passTemplateId: id, passTemplateIds: null });
    const many = await createConfiguration(client, { passTemplateIds: ['second', id, NAME, other] });
    expect(many).toMatchObject({ passTemplateId: null, passTemplateIds: [other, id] });
    const path = `/api/appconfiguration/${one.configurationId}` as const;
    const changed = { name: 'A', scanMode: 1, passTemplateIds: ['second'] };
    expect((await client.put(path, changed)).body.configuration).toMatchObject([{ passTemplateIds: [other] }]);
    expect((await client.put(path, { ...changed, passTemplateIds: ['second', 'nobody'] })).status).toBe(404);
    expect((await client.get(path)).body).toMatchObject({ passTemplateIds: [other] });
  });

  test('of a search and a segment, with the template’s own fields', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate({ userProvidedId: 'searched' });
    await own.createPass(template, { 'Full name': 'Ada' });
    await own.createPass(await own.createTemplate(), { 'Full name': 'Ada' });
    const query = { templateId: 'searched', groups: [[{ field: 'Full name', operator: 'equals', value: 'Ada' }]] };
    expect((await own.post('/api/v3/passinstance/search', { query })).body.data).toMatchObject([
      { templateId: template },
    ]);
    const segment = await own.post('/api/v3/segment', { title: 'Ada', query });
    const listed = await own.get(`/api/v3/pass?segmentId=${segment.body.data.identifier}`);
    expect(listed.body.responseMetaData.resultsTotal).toBe(1);
  });

  test('of a tier, which shows the identifier', async () => {
    const own = await freshAccount();
    const gold = await own.createTemplate({ name: 'Gold', userProvidedId: 'gold' });
    const tiers = [
      { minimumValue: 10, templateId: 'gold' },
      { minimumValue: 0, templateId: 'basic' },
    ];
    const passFunctionality = { type: 'loyalty' as const, tiers };
    const basic = await own.createTemplate({ name: 'Basic', userProvidedId: 'basic', passFunctionality });
    const tiersOf = async (one: string) =>
      (await own.get(`/api/v2/pass-template/${one}/describe`)).body.data.passFunctionality.tiers;
    expect(await tiersOf(basic)).toMatchObject([{ templateId: gold }, { templateId: 'basic' }]);
    const { identifier } = await own.createPass(basic);
    const templateAt = async (storedValue: number) => {
      expect((await own.post(`/api/pass/${identifier}`, { storedValue })).status).toBe(200);
      return (await own.get(`/api/pass/${identifier}`)).body.passTemplateGuid;
    };
    expect([await templateAt(1), await templateAt(12)]).toEqual([basic, gold]);
    expect((await own.patch(`/api/v2/pass-template/${gold}`, { passFunctionality })).status).toBe(200);
    expect(await tiersOf(gold)).toMatchObject([{ templateId: gold }, { templateId: basic }]);
  });
});

test('a template’s userProvidedId is unique in the account, even if creates race', async () => {
  const own = await freshAccount();
  const definition = sampleTemplate({ userProvidedId: 'once' });
  const replies = await Promise.all(Array.from({ length: 10 }, () => own.post('/api/v2/pass-template', definition)));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(400)]);
  const refused = replies.find(({ status }) => status === 400)!;
  expect(refused.body.errors).toEqual([expect.stringMatching(/^userProvidedId: .*unique/)]);
  const foreign = await freshAccount();
  expect((await foreign.post('/api/v2/pass-template', definition)).status).toBe(201);
});

test('passTemplateId is ignored if passTemplateIds is set', async () => {
  for (const passTemplateId of ['nobody', crypto.randomUUID(), ['a'], { a: 1 }, 5, null]) {
    const scanner = await createConfiguration(client, { passTemplateId, passTemplateIds: [id] });
    expect(scanner).toMatchObject({ passTemplateId: null, passTemplateIds: [id] });
  }
  const alone = { name: 'A', scanMode: 0, passTemplateId: ['a'], passTemplateIds: [] };
  expect((await client.post('/api/appconfiguration', alone)).status).toBe(400);
});
