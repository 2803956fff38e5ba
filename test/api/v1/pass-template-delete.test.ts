import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, send } from '../../support/api.ts';
import { createConfiguration, scan } from '../../support/app-scans.ts';
import { costOf, d1, eventually, holdJobs, runScheduled, sendJobs, storedKeys } from '../../support/control.ts';
import { COPIED_PASS, copyRow } from '../../support/copy-row.ts';
import { keepValues } from '../../support/kept-values.ts';

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
  await keepValues(d1, client.accountId);
});

const remove = (id: string) => client.delete(`/api/pass-template/${id}`);
const count = async (table: string, id: string) =>
  (await d1<{ rows: number }>(`select count(*) as rows from ${table} where template_id = ?`, [id]))[0]!.rows;
const passesOf = (id: string) => count('passes', id);
const deletionsOf = (id: string) => count('template_deletions', id);
const deletedEventsOf = async (id: string) =>
  (await d1<{ pass_id: string; body: string }>(
    "select pass_id, body from account_events where template_id = ? and type = 'pass_deleted'",
    [id],
  )) as { pass_id: string; body: string }[];
const gone = (id: string) => eventually(async () => (await deletionsOf(id)) === 0);

describe('delete', () => {
  test('replies 200 with an empty array, and nothing finds the template or its passes anymore', async () => {
    const id = await client.createTemplate();
    const target = await client.createTemplate();
    const pass = await client.createPass(id, { userProvidedId: 'lost', 'Full name': 'Ada' });
    const { identifier } = pass;
    const reply = await remove(id);
    expect([reply.status, reply.body]).toEqual([200, []]);
    expect((await client.get('/api/pass-template')).body).not.toContainEqual({ identifier: id, name: 'Membership' });
    const requests = [
      client.get(`/api/v2/pass-template/${id}/describe`),
      client.get(`/api/pass-template/${id}?integrationStyle=true`),
      client.get(`/api/pass-template/${id}/notification`),
      client.patch(`/api/v2/pass-template/${id}`, { name: 'Back' }),
      client.post(`/api/v2/pass-template/${id}/publish`),
      client.post(`/api/pass-template/copy/${id}`, { name: 'Copy' }),
      client.get(`/api/pass/list/${id}`),
      client.post(`/api/pass?passtemplate=${id}`, {}),
      client.get(`/api/pass/${identifier}`),
      client.get('/api/pass/lost'),
      client.get(`/api/v3/pass/${identifier}`),
      client.get(`/api/pass/geturis/${identifier}`),
      client.patch(`/api/v3/pass/${identifier}`, { data: { Level: 'Gold' } }),
      client.put(`/api/pass/${identifier}`, { voided: true }),
      client.post(`/api/pass/${identifier}/enabledownload`),
      client.post(`/api/v2/pass/${identifier}/movetotemplate/${target}`),
      client.delete(`/api/pass/${identifier}`),
      send('GET', pass.linkToPassFile as '/'),
      send('GET', pass.linkToPassPage as '/'),
    ];
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(requests.map(() => 404));
  });

  test('removes passes, files, unique values and definitions in the background, with an event for each pass', async () => {
    const id = await client.createTemplate({
      additionalProperties: [{ name: 'Number', unique: true }],
      customNumberRange: { from: 1, to: 9 },
    });
    const passes = [await client.createPass(id, { Number: '1' }), await client.createPass(id, { Number: '2' })];
    await client.patch(`/api/v2/pass-template/${id}`, { name: 'Published' });
    await client.post(`/api/v2/pass-template/${id}/publish`);
    await send('GET', passes[0]!.linkToPassFile as '/');
    const file = `pass-files/${passes[0]!.identifier}`;
    await eventually(async () => (await storedKeys(file)).length === 1);
    await client.post(`/api/pass-template/${id}/notification`, {
      pushNotificationText: 'Never sent',
      publicationDate: '2030-01-01 10:00',
    });
    // The erasure after the deletion removes the values from its events.
    const erasure = await holdJobs('erase-passes');
    await remove(id);
    await gone(id);
    expect(await storedKeys(file)).toEqual([]);
    for (const table of ['passes', 'unique_property_values', 'custom_numbers', 'template_versions', 'notifications']) {
      expect([table, await count(table, id)]).toEqual([table, 0]);
    }
    const events = await deletedEventsOf(id);
    expect(events.map((event) => event.pass_id).sort()).toEqual(passes.map(({ identifier }) => identifier).sort());
    expect(JSON.parse(events.find((event) => event.pass_id === passes[0]!.identifier)!.body)).toMatchObject({
      identifier: passes[0]!.identifier,
      passTemplate: 'Published',
      passTemplateGuid: id,
      genericProperties: { Number: '1' },
    });
    await erasure.release();
  });

  test('processes many pages and jobs, each pass once', async () => {
    const id = await client.createTemplate();
    const { identifier } = await client.createPass(id);
    await copyRow(d1, { table: 'passes', where: 'id = ?', params: [identifier], rows: 2_350, own: COPIED_PASS });
    await remove(id);
    const job = { type: 'delete-template-passes' as const, templateId: id };
    await sendJobs([job, job], client);
    await gone(id);
    expect(await passesOf(id)).toBe(0);
    const events = await deletedEventsOf(id);
    expect(events).toHaveLength(2_351);
    expect(new Set(events.map((event) => event.pass_id)).size).toBe(2_351);
    await sendJobs([job], client);
  });

  test('frees its names for other templates and passes', async () => {
    const id = await client.createTemplate({ userProvidedId: 'reused' });
    await client.createPass(id, { userProvidedId: 'pass-name', enforceUniqueUserProvidedId: true });
    await remove(id);
    const next = await client.createTemplate({ userProvidedId: 'reused' });
    await gone(id);
    await client.createPass(next, { userProvidedId: 'pass-name', enforceUniqueUserProvidedId: true });
  });

  test('takes three round trips at most, however many passes there are', async () => {
    const id = await client.createTemplate();
    for (let i = 0; i < 30; i++) await client.createPass(id);
    const cost = await costOf(await remove(id));
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    expect(cost.rowsRead).toBeLessThanOrEqual(12);
  });

  test('does not know a foreign or unknown template', async () => {
    const foreign = await freshAccount();
    const id = await foreign.createTemplate();
    await foreign.createPass(id);
    for (const unknown of [id, 'no-uuid']) {
      const reply = await remove(unknown);
      expect([reply.status, reply.body]).toEqual([404, { ErrorMessage: 'Object not found' }]);
    }
    expect([await passesOf(id), await deletionsOf(id)]).toEqual([1, 0]);
  });
});

test('makes room for new passes at once, although rows are deleted later', async () => {
  const [doomed, living] = [await client.createTemplate(), await client.createTemplate()];
  const name = { userProvidedId: 'shared', barcodeValue: 'shared-code' };
  const older = await client.createPass(living, name);
  for (let i = 0; i < 10; i++) await client.createPass(doomed, { ...name, bundleId: 'full' });
  await client.createPass(doomed, { userProvidedId: 'only', enforceUniqueUserProvidedId: true });
  // The state between a delete's reply and its job.
  await d1('delete from templates where id = ?', [doomed]);
  for (const path of ['/api/pass/shared', '/api/pass/shared-code', '/api/v3/pass/shared'] as const) {
    const { status, body } = await client.get(path);
    expect([path, status, (body.data ?? body).identifier]).toEqual([path, 200, older.identifier]);
  }
  expect((await send('GET', `/p/${client.accountId}/shared`)).status).toBe(200);
  const scanner = await createConfiguration(client);
  expect((await scan(client, scanner, 'shared-code')).body.passId).toBe(older.identifier);
  await client.createPass(living, { userProvidedId: 'only', enforceUniqueUserProvidedId: true, bundleId: 'full' });
  const added = await client.post('/api/v2/pass-bundle/full', { passes: [older.identifier] });
  expect([added.status, added.body.errors]).toEqual([200, []]);
});

test('of two simultaneous deletes, one succeeds', async () => {
  const id = await client.createTemplate();
  await client.createPass(id);
  const replies = await Promise.all([remove(id), remove(id), remove(id)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  await gone(id);
  expect(await deletedEventsOf(id)).toHaveLength(1);
});

test('no pass created or moved meanwhile is left behind', async () => {
  const project = (await client.post('/api/v3/project', { name: 'Race' })).body.data.identifier;
  const [id, other] = [
    await client.createTemplate({ projectId: project, maxPasses: 1_000 }),
    await client.createTemplate({ projectId: project }),
  ];
  const movers = await Promise.all(Array.from({ length: 10 }, () => client.createPass(other)));
  const [deleted, ...replies] = await Promise.all([
    remove(id),
    ...Array.from({ length: 10 }, () => client.post('/api/v3/pass', { data: { templateId: id } })),
    ...movers.map(({ identifier }) => client.post(`/api/v2/pass/${identifier}/movetotemplate/${id}`)),
  ]);
  expect(deleted.status).toBe(200);
  expect(replies.every(({ status }) => status === 200 || status === 404)).toBe(true);
  await gone(id);
  expect(await passesOf(id)).toBe(0);
  const [row] = await d1<{ pass_count: number }>('select pass_count from templates where id = ?', [other]);
  expect(row?.pass_count).toBe(await passesOf(other));
});

test('a deletion whose message was lost is resumed by the cron', async () => {
  const id = await client.createTemplate();
  await client.createPass(id);
  await d1(
    'insert into template_deletions (template_id, account_id, published_version, resumed_at) values (?, ?, 1, ?)',
    [id, client.accountId, Date.now()],
  );
  await d1('delete from templates where id = ?', [id]);
  await runScheduled();
  expect(await passesOf(id)).toBe(1);
  await d1('update template_deletions set resumed_at = 0 where template_id = ?', [id]);
  await Promise.all([runScheduled(), runScheduled()]);
  await gone(id);
  expect(await deletedEventsOf(id)).toHaveLength(1);
});
