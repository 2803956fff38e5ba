import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { d1, holdJobs, logged, objectSql, sendJobs } from '../../support/control.ts';
import { changesOf, createdCrowd, ended } from '../../support/processes.ts';

const BULK = '/api/v3/pass/bulk';

/** More than two of the selection's pages of 1,000. */
const CROWD = 2_345;

let client: Client;
let templateId: string;
beforeAll(async () => {
  ({ client, templateId } = await createdCrowd(CROWD));
});

const unvalued = () => ({ templateId, groups: [[{ field: 'storedValue', operator: 'empty' }]] });

test('a query selects in pages, and even changing the fields it selects by changes each pass once', async () => {
  const started = await client.patch(BULK, { data: { storedValue: 1 }, filter: { query: unvalued() } });
  expect([started.status, started.body.count]).toEqual([202, CROWD + 1]);
  const { processId } = started.body.data;
  await sendJobs(Array(3).fill({ type: 'select-process-passes', processId }), client);
  expect(await ended(client, started)).toMatchObject({
    current: CROWD + 1,
    total: CROWD + 1,
    status: 'finished',
    errors: null,
  });
  expect(await changesOf(templateId)).toEqual({ passesByVersion: { 2: CROWD + 1 }, passesByEvents: { 1: CROWD + 1 } });
  const again = await client.patch(BULK, { data: { storedValue: 1 }, filter: { query: unvalued() } });
  expect(again.body.count).toBe(0);
  expect(await ended(client, again)).toMatchObject({ current: 0, total: 0, status: 'finished', errors: null });
});

test('passes created after the request are not included', async () => {
  const owner = await freshAccount();
  const template = await owner.createTemplate();
  const { identifier } = await owner.createPass(template);
  const started = await owner.patch(BULK, { data: { storedValue: 1 }, filter: { query: { templateId: template } } });
  const { identifier: later } = await owner.createPass(template);
  expect(await ended(owner, started)).toMatchObject({ current: 1, total: 1 });
  expect(
    await d1('select id, stored_value as value from passes where template_id = ? order by id', [template]),
  ).toEqual([
    { id: identifier, value: 1 },
    { id: later, value: null },
  ]);
});

test('a segment selects the same as its query', async () => {
  const query = {
    templateId,
    groups: [[{ field: 'userProvidedId', operator: 'equals', value: ['crowd-7', 'crowd-8'] }]],
  };
  const segment = await client.post('/api/v3/segment', { title: 'Two', query });
  const filter = { segmentId: segment.body.data.identifier };
  const started = await client.patch(BULK, { data: { Level: 'Gold' }, filter });
  expect(started.body.count).toBe(2);
  expect(await ended(client, started)).toMatchObject({ current: 2, total: 2, status: 'finished' });
  const foreign = await freshAccount();
  for (const reply of [
    await foreign.patch(BULK, { data: {}, filter }),
    await client.patch(BULK, { data: {}, filter: { segmentId: 'nothing' } }),
    await client.patch(BULK, { data: {}, filter: { segmentId: crypto.randomUUID() }, dryRun: true }),
  ]) {
    expect([reply.status, reply.body.errors]).toEqual([404, ['Object not found']]);
  }
});

test('failures name the passes by their identifiers', async () => {
  const query = { templateId, groups: [[{ field: 'userProvidedId', operator: 'equals', value: 'crowd-9' }]] };
  const data = { eligibleValidationPlaces: ['Moon'] };
  const process = await ended(client, await client.patch(BULK, { data, filter: { query } }));
  const [pass] = await d1<{ id: string }>(
    "select id from passes where template_id = ? and user_provided_id = 'crowd-9'",
    [templateId],
  );
  expect(process.errors).toEqual({ [pass!.id]: expect.stringContaining('eligibleValidationPlaces') });
});

describe('a query', () => {
  test('that is invalid is rejected at once', async () => {
    const query = { templateId, groups: [[{ field: 'shoeSize', operator: 'equals', value: 1 }]] };
    const reply = await client.patch(BULK, { data: {}, filter: { query } });
    expect([reply.status, reply.body.errors.join()]).toEqual([400, expect.stringContaining('shoeSize')]);
  });

  test('in a dry run is counted and its passes are checked', async () => {
    const data = { storedValue: 3 };
    const reply = await client.patch(BULK, { data, filter: { query: { templateId } }, dryRun: true });
    expect([reply.status, reply.body.count, reply.body.data]).toEqual([
      200,
      CROWD + 1,
      { dryRun: true, checked: CROWD + 1, errors: null },
    ]);
  });

  test('whose template is deleted before its passes are selected ends with that error, and continues when retried', async () => {
    const owner = await freshAccount();
    const template = await owner.createTemplate();
    await owner.createPass(template);
    const selection = await holdJobs('select-process-passes');
    const started = await owner.patch(BULK, { data: { storedValue: 1 }, filter: { query: { templateId: template } } });
    await d1("update templates set account_id = 'elsewhere' where id = ?", [template]);
    await selection.release();
    const failed = await ended(owner, started);
    expect(failed).toMatchObject({ current: 0, status: 'finished with errors', errors: { query: 'Object not found' } });
    await d1('update templates set account_id = ? where id = ?', [owner.accountId, template]);
    const retried = await owner.post(`/api/v3/process/${started.body.data.processId}/retry`);
    expect(await ended(owner, retried)).toMatchObject({ current: 1, total: 1, status: 'finished', errors: null });
  });

  test('can be cancelled before its passes are selected', async () => {
    const selection = await holdJobs('select-process-passes');
    const started = await client.patch(BULK, { data: { storedValue: 9 }, filter: { query: { templateId } } });
    const { processId } = started.body.data;
    const { body } = await client.delete(`/api/v3/process/${processId}`);
    expect(body.data).toMatchObject({ current: 0, total: 0, status: 'finished', cancelled: CROWD + 1 });
    const object = { binding: 'PROCESSES' as const, name: processId };
    expect(await objectSql(object, 'select selecting, items from process')).toEqual([{ selecting: 0, items: 0 }]);
    await selection.release();
    await logged({ event: 'job', job: 'select-process-passes', subject: processId });
    expect(await objectSql(object, 'select selecting, items from process')).toEqual([{ selecting: 0, items: 0 }]);
  });
});
