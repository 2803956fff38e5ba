import { afterEach, expect, test, vi } from 'vitest';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/*
 * An erasure during a bulk operation, and one with faults: its object dies at one in eight calls, messages are lost or
 * duplicated, and one in twenty round trips to D1 fails, each before or after it takes effect. So ranges end midway.
 */

const PASSES = 150;
const OTHERS = 10;
const EMAIL = 'ada@example.com';

let service: ServiceInProcess;
afterEach(() => service.close());

async function done(method: string, path: string, body?: object) {
  const reply = await service.request(method, path, body);
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.data;
}

async function stateOf(processId: string) {
  const { status, body } = await service.request('GET', `/api/v3/process/${processId}`);
  return status === 200 ? body.data : undefined;
}

async function ended(processId: string) {
  await service.until(async () => {
    const state = await stateOf(processId);
    return state !== undefined && state.status !== 'in progress';
  });
  return stateOf(processId);
}

const eventsOf = (type: string) =>
  service.rows('select count(*) as events, count(distinct pass_id) as passes from account_events where type = ?', [
    type,
  ]);

test('erases within half an hour an item that fails in a concurrent bulk operation', async () => {
  service = await new ServiceInProcess().open();
  const templateId = (await done('POST', '/api/v2/pass-template', sampleTemplate())).identifier;
  await done('POST', '/api/v3/pass', { data: { templateId, userProvidedId: 'ada', 'Full name': 'Ada Lovelace' } });
  const item = { identifier: 'ada', data: { 'Full name': 'Ada King', expirationDate: 'never' } };
  const bulk = await done('PATCH', '/api/v3/pass/bulk', { passes: [item] });
  // Its message is lost, so its object sends another one later.
  service.queues.next();
  vi.setSystemTime(Date.now() + 1_000);
  const { processId } = await done('POST', '/api/v3/person/erase', { match: { userProvidedId: 'ada' } });
  expect(await ended(processId)).toMatchObject({ status: 'finished', result: { passes: 1, processItems: 0 } });
  expect(await stateOf(bulk.processId)).toMatchObject({ status: 'in progress' });
  expect(Object.keys((await ended(bulk.processId)).errors)).toEqual(['ada']);
  await service.minutes(30);
  expect(await stateOf(bulk.processId)).toMatchObject({ status: 'finished', total: 0, errors: null });
  expect(await service.count('select count(*) from pass_erasures')).toBe(0);
});

test('keeps no item of the person that fails later in a concurrent bulk create', async () => {
  service = await new ServiceInProcess().open();
  const templateId = (await done('POST', '/api/v2/pass-template', sampleTemplate())).identifier;
  const person = (userProvidedId: string) => ({ userProvidedId, 'Full name': `${userProvidedId} Lovelace` });
  await done('POST', '/api/v3/pass', { data: { templateId, ...person('ada') } });
  const passes = [person('ada'), person('grace'), person('nobody')].map((one) => ({ ...one, expirationDate: 'never' }));
  const bulk = await done('POST', '/api/v3/pass/bulk/create', { templateId, passes });
  // Its message is lost, so its object sends another one later.
  service.queues.next();
  vi.setSystemTime(Date.now() + 1_000);
  for (const userProvidedId of ['ada', 'nobody']) {
    const { processId } = await done('POST', '/api/v3/person/erase', { match: { userProvidedId } });
    expect(await ended(processId)).toMatchObject({ status: 'finished' });
  }
  expect(await stateOf(bulk.processId)).toMatchObject({ status: 'in progress', current: 0, total: 3 });
  const { errors, ...state } = await ended(bulk.processId);
  expect(state).toMatchObject({ current: 1, total: 1, status: 'finished with errors' });
  expect(Object.keys(errors)).toHaveLength(1);
  // A retry uses what was kept.
  await done('POST', `/api/v3/process/${bulk.processId}/retry`);
  expect(Object.keys((await ended(bulk.processId)).errors)).toEqual(Object.keys(errors));
});

async function erased(mode: 'delete' | 'anonymize') {
  service = await new ServiceInProcess({ diesOneIn: 8, lostOneIn: 10, twiceOneIn: 10, d1OneIn: 20 }).open();
  const templateId = (await done('POST', '/api/v2/pass-template', sampleTemplate())).identifier;
  const of = (count: number, emailRecipient: string) => Array.from({ length: count }, () => ({ emailRecipient }));
  const passes = [...of(PASSES, EMAIL), ...of(OTHERS, 'grace@example.com')];
  await ended((await done('POST', '/api/v3/pass/bulk/create', { templateId, passes })).processId);
  const condition = { field: 'emailRecipient', operator: 'equals', value: EMAIL };
  await done('POST', '/api/v3/segment', { title: 'Mail', query: { templateId, groups: [[condition]] } });
  service.begin();
  const { processId } = await done('POST', '/api/v3/person/erase', { match: { emailRecipient: EMAIL }, mode });
  const state = await ended(processId);
  service.end();
  expect(service.processes.deaths).toBeGreaterThan(5);
  expect(state).toMatchObject({ current: PASSES, total: PASSES, status: 'finished', errors: null });
  // Each of three ranges includes the segment, whatever crashes.
  expect(state.result).toMatchObject({ passes: PASSES, segments: 1 });
  await service.until(async () => (await service.count('select count(*) from pass_erasures')) === 0);
  expect(await service.count('select count(*) from passes where email_recipient is not null')).toBe(OTHERS);
}

test('during which everything crashes deletes each pass once, and counts them', async () => {
  await erased('delete');
  expect(await eventsOf('pass_deleted')).toEqual([{ events: PASSES, passes: PASSES }]);
  expect(await service.count('select pass_count from templates')).toBe(OTHERS);
});

test('during which everything crashes anonymizes each pass once, and counts them', async () => {
  await erased('anonymize');
  expect(await eventsOf('pass_updated')).toEqual([{ events: PASSES, passes: PASSES }]);
  expect(await service.count('select pass_count from templates')).toBe(PASSES + OTHERS);
});
