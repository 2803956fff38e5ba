import { expect, inject, test } from 'vitest';
import { freshAccount } from '../../support/api.ts';
import { holdJobs, objectSql } from '../../support/control.ts';
import { crowdedAccount } from '../../support/processes.ts';

const BULK = '/api/v3/pass/bulk';

test('a process shows the first 2,000,000 characters of its errors', async () => {
  const owner = await freshAccount();
  const templateId = await owner.createTemplate();
  const started = await owner.post(`${BULK}/create`, { templateId, passes: [] });
  const { processId } = started.body.data;
  const issue = JSON.stringify([{ path: '', code: 'invalid', message: 'x'.repeat(950) }]);
  await objectSql(
    { binding: 'PROCESSES', name: processId },
    `with recursive numbers as (select 1 as n union all select n + 1 from numbers where n < 5000)
      insert into failures select n, 'Row ' || n, '${issue}', '{}' from numbers`,
  );
  const { body } = await owner.get(`/api/v3/process/${processId}`);
  const shown = Object.keys(body.data.errors);
  expect([shown[0], shown.length > 1_900, shown.length < 2_100]).toEqual(['Row 1', true, true]);
});

test('20 connections can follow a process at a time', async () => {
  const { client: owner, ids } = await crowdedAccount(3);
  const ranges = await holdJobs('apply-process-range');
  const started = await owner.patch(BULK, { data: { storedValue: 1 }, filter: { identifiers: ids } });
  const url = `${inject('worker').origin}/api/v3/process/${started.body.data.processId}/events`;
  const leave = new AbortController();
  const follow = () => fetch(url, { headers: { Authorization: owner.apiKey }, signal: leave.signal });
  const statuses = [];
  for (let i = 0; i < 21; i++) statuses.push((await follow()).status);
  expect(statuses).toEqual([...Array(20).fill(200), 429]);
  leave.abort();
  await ranges.release();
});
