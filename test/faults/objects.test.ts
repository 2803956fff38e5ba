import { afterEach, expect, test } from 'vitest';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/*
 * One in ten calls of a process's Durable Object kills it: before the call, which a new object without memory handles,
 * or after it, when the answer is lost. One in ten messages and one in twenty round trips to D1 fail, too.
 */

let service: ServiceInProcess;
afterEach(() => {
  expect(service.processes.deaths).toBeGreaterThan(10);
  service.close();
});

async function done(method: string, path: string, body?: object) {
  const reply = await service.request(method, path, body, { 'Idempotency-Key': crypto.randomUUID() });
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

const stateOf = async (processId: string) => {
  const { status, body } = await service.request('GET', `/api/v3/process/${processId}`);
  return status === 200 ? body.data : undefined;
};

test('10 bulk jobs of 200 passes each, with crashing objects and lost messages: 2,000 passes, 2,000 events, 0 twice, 0 failed', async () => {
  service = await new ServiceInProcess({ diesOneIn: 10, lostOneIn: 10, twiceOneIn: 10, d1OneIn: 20 }).open();
  const templateId = (await done('POST', '/api/v2/pass-template', sampleTemplate())).data.identifier;
  service.begin();
  for (let job = 0; job < 10; job++) {
    const passes = Array.from({ length: 200 }, (_, i) => ({ userProvidedId: `${job}-${i}` }));
    const { data } = await done('POST', '/api/v3/pass/bulk/create', { templateId, passes });
    await service.until(async () => (await stateOf(data.processId))?.status === 'finished');
  }
  service.end();
  const passes = 'select count(*) as passes, count(distinct user_provided_id) as names from passes';
  expect(await service.rows(passes)).toEqual([{ passes: 2_000, names: 2_000 }]);
  const events =
    "select count(*) as events, count(distinct pass_id) as passes from account_events where type = 'pass_created'";
  expect(await service.rows(events)).toEqual([{ events: 2_000, passes: 2_000 }]);
  expect(await service.count('select pass_count from templates')).toBe(2_000);
});
