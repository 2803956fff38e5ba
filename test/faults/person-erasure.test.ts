import { afterEach, expect, test } from 'vitest';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/*
 * An erasure whose object dies at one call in eight, before it or after it, whose messages get lost or come twice, and
 * whose round trips to D1 fail one in twenty, before their commit or after it. So ranges end in the middle of their work.
 */

const PASSES = 150;
const OTHERS = 10;
const EMAIL = 'ada@example.com';

let service: ServiceInProcess;
afterEach(() => {
  expect(service.processes.deaths).toBeGreaterThan(5);
  service.close();
});

async function done(method: string, path: string, body?: object) {
  const reply = await service.request(method, path, body);
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.data;
}

async function ended(processId: string) {
  let state: { status: string; result: Record<string, number> } | undefined;
  await service.until(async () => {
    const { status, body } = await service.request('GET', `/api/v3/process/${processId}`);
    state = status === 200 ? body.data : undefined;
    return state !== undefined && state.status !== 'in progress';
  });
  return state;
}

const eventsOf = (type: string) =>
  service.rows('select count(*) as events, count(distinct pass_id) as passes from account_events where type = ?', [
    type,
  ]);

async function erased(mode: 'delete' | 'anonymize') {
  service = await new ServiceInProcess({ diesOneIn: 8, lostOneIn: 10, twiceOneIn: 10, d1OneIn: 20 }).open();
  const templateId = (await done('POST', '/api/v2/pass-template', sampleTemplate())).identifier;
  const of = (count: number, emailRecipient: string) => Array.from({ length: count }, () => ({ emailRecipient }));
  const passes = [...of(PASSES, EMAIL), ...of(OTHERS, 'grace@example.com')];
  await ended((await done('POST', '/api/v3/pass/bulk/create', { templateId, passes })).processId);
  service.begin();
  const { processId } = await done('POST', '/api/v3/person/erase', { match: { emailRecipient: EMAIL }, mode });
  const state = await ended(processId);
  service.end();
  expect(state).toMatchObject({ current: PASSES, total: PASSES, status: 'finished', errors: null });
  expect(state!.result.passes).toBe(PASSES);
  await service.until(async () => (await service.count('select count(*) from pass_erasures')) === 0);
  expect(await service.count('select count(*) from passes where email_recipient is not null')).toBe(OTHERS);
}

test(`in the middle of which everything dies deletes ${PASSES} passes, each once, and counts them`, async () => {
  await erased('delete');
  expect(await eventsOf('pass_deleted')).toEqual([{ events: PASSES, passes: PASSES }]);
  expect(await service.count('select pass_count from templates')).toBe(OTHERS);
});

test(`in the middle of which everything dies anonymizes ${PASSES} passes, each once, and counts them`, async () => {
  await erased('anonymize');
  expect(await eventsOf('pass_updated')).toEqual([{ events: PASSES, passes: PASSES }]);
  expect(await service.count('select pass_count from templates')).toBe(PASSES + OTHERS);
});
