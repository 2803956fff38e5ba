import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/* A number in a reply is the one that the request stored, even if the database's answer was lost. */

let service: ServiceInProcess;
let templateId: string;
beforeEach(async () => {
  service = await new ServiceInProcess().open();
  const { body } = await service.request('POST', '/api/v2/pass-template', sampleTemplate());
  templateId = body.data.identifier;
});
afterEach(() => service.close());

const stateOf = async (processId: string) => (await service.request('GET', `/api/v3/process/${processId}`)).body.data;

test('a retry of 3 items whose object crashes after the call returns 3', async () => {
  const passes = [1, 2, 3].map((i) => ({ identifier: `nobody ${i}`, data: { storedValue: i } }));
  const { body } = await service.request('PATCH', '/api/v3/pass/bulk', { passes });
  const { processId } = body.data;
  await service.until(async () => (await stateOf(processId)).status === 'finished with errors');
  service.processes.fatal = 'retry';
  const retried = await service.request('POST', `/api/v3/process/${processId}/retry`);
  expect([retried.status, retried.body.count]).toEqual([202, 3]);
  expect(service.processes.deaths).toBe(1);
  await service.until(async () => (await stateOf(processId)).status === 'finished with errors');
  const again = await service.request('POST', `/api/v3/process/${processId}/retry`);
  expect(again.body.count).toBe(3);
  const entries = "select json_extract(changes, '$[0].new') as items from audit_entries where action = 'process.retry'";
  expect(await service.rows(entries)).toEqual([{ items: 3 }, { items: 3 }]);
});

test('acknowledgments in the same millisecond count their own payloads if the answer is lost', async () => {
  await service.request('POST', '/api/hook/subscribe', { event: 'pass_created', pullMode: true });
  for (let i = 0; i < 10; i++) await service.request('POST', '/api/v3/pass', { data: { templateId } });
  await service.minutes(1);
  const { body } = await service.request('GET', '/api/v3/webhook-payload');
  const ids: string[] = body.data.map(({ id }: { id: string }) => id);
  expect(ids).toHaveLength(10);
  const acknowledge = (id: string) => service.request('POST', '/api/v3/webhook-payload/acknowledge', { upTo: id });
  expect((await acknowledge(ids[4]!)).body.count).toBe(5);
  const lost = await service.failingNextWrite('after', () => acknowledge(ids[9]!));
  expect([lost.status, lost.body.count]).toEqual([200, 5]);
});
