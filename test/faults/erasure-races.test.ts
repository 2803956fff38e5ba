import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/* Work in progress at the moment a person is erased, which would store a value again. */

const EMAIL = 'ada@example.com';

let service: ServiceInProcess;
let templateId: string;
beforeEach(async () => {
  service = await new ServiceInProcess().open();
  templateId = (await done('POST', '/api/v2/pass-template', sampleTemplate())).identifier;
});
afterEach(() => service.close());

async function done(method: string, path: string, body?: object) {
  const reply = await service.request(method, path, body);
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.data ?? reply.body;
}

async function stateOf(processId: string) {
  return (await service.request('GET', `/api/v3/process/${processId}`)).body.data;
}

/** Waits for an export or erasure process. */
async function ended(started: { processId: string }) {
  await service.until(async () => (await stateOf(started.processId)).status !== 'in progress');
  return stateOf(started.processId);
}

const match = { emailRecipient: EMAIL };
const erase = async (mode = 'delete') => ended(await done('POST', '/api/v3/person/erase', { match, mode }));
const stored = async (prefix: string) => (await service.env.FILES.list({ prefix })).objects.map(({ key }) => key);

/** Runs `work` once, before the first call of a bucket method for keys with this prefix. */
function before(method: 'put' | 'list', prefix: string, work: () => Promise<unknown>): void {
  // The methods of R2 have overloads that no single function type fits.
  const bucket = service.env.FILES as unknown as Record<string, (...input: unknown[]) => Promise<unknown>>;
  const call = bucket[method]!;
  let isDone = false;
  bucket[method] = async (...input) => {
    if (!isDone && JSON.stringify(input[0]).includes(`"${prefix}`)) {
      isDone = true;
      await work();
    }
    return call(...input);
  };
}

test.each(['delete', 'anonymize'])(
  'an export that has read data erased afterwards keeps none of it (%s)',
  async (mode) => {
    await done('POST', '/api/v3/pass', { data: { templateId, emailRecipient: EMAIL } });
    let erased: { status: string; result: object } | undefined;
    before('put', 'person-exports/', async () => {
      erased = await erase(mode);
    });
    const exported = await ended(await done('POST', '/api/v3/person/export', { match }));
    expect(erased).toMatchObject({ status: 'finished', result: { passes: 1 } });
    expect(exported).toMatchObject({ status: 'finished', result: { passes: 0 } });
    expect(await stored('person-exports/')).toEqual([]);
  },
);

test('an export that ends while its passes are deleted does not outlive them, and its link opens nothing', async () => {
  await done('POST', '/api/v3/pass', { data: { templateId, emailRecipient: EMAIL } });
  let exported: { status: string; result: { url: string; passes: number } } | undefined;
  // The existing exports are already deleted.
  before('list', 'imports/', async () => {
    exported = await ended(await done('POST', '/api/v3/person/export', { match }));
    expect(await stored('person-exports/')).not.toEqual([]);
  });
  expect(await erase()).toMatchObject({ status: 'finished', result: { passes: 1 } });
  expect(exported).toMatchObject({ status: 'finished', result: { passes: 1 } });
  expect(await stored('person-exports/')).toEqual([]);
  const { pathname } = new URL(exported!.result.url);
  expect((await service.send('GET', pathname, undefined, {})).status).toBe(404);
});

/** Whether a process's object contains a text. */
const holds = (processId: string, text: string) =>
  ['facts', 'ranges', 'failures'].some((table) => service.processes.holds(processId, table, text));

test('a failed export keeps nothing that named an erased person', async () => {
  await done('POST', '/api/v3/pass', { data: { templateId, emailRecipient: EMAIL } });
  const { put } = service.env.FILES;
  service.env.FILES.put = async () => {
    throw new Error('R2 is down');
  };
  const { processId } = await done('POST', '/api/v3/person/export', { match });
  expect(await ended({ processId })).toMatchObject({ status: 'finished with errors' });
  service.env.FILES.put = put;
  expect(holds(processId, EMAIL)).toBe(true);
  await service.minutes(1);
  expect(await erase()).toMatchObject({ status: 'finished', result: { passes: 1, processItems: 1 } });
  expect(holds(processId, EMAIL)).toBe(false);
  expect(await stateOf(processId)).toMatchObject({ status: 'finished', total: 0, errors: null });
});

test('a bulk operation in progress does not keep what its items share with a person', async () => {
  const person = { emailRecipient: EMAIL, 'Full name': 'Ada Lovelace' };
  await done('POST', '/api/v3/pass', { data: { templateId, ...person } });
  const { identifier } = await done('POST', '/api/v3/pass', { data: { templateId } });
  const data = { 'Full name': 'Ada Lovelace', eligibleValidationPlaces: ['Nowhere'] };
  const bulk = await done('PATCH', '/api/v3/pass/bulk', { data, filter: { identifiers: [identifier] } });
  // Its message is lost, so its object sends another one later.
  service.queues.next();
  vi.setSystemTime(Date.now() + 1_000);
  expect(await erase()).toMatchObject({ status: 'finished', result: { passes: 1, processItems: 0 } });
  expect(await ended(bulk)).toMatchObject({ status: 'finished', total: 0, errors: null });
  expect(holds(bulk.processId, 'Lovelace')).toBe(false);
  await done('POST', `/api/v3/process/${bulk.processId}/retry`);
  expect(await ended(bulk)).toMatchObject({ status: 'finished', total: 0 });
});

test('a failed query that names a person is erased with the person', async () => {
  const other = (await done('POST', '/api/v2/pass-template', sampleTemplate())).identifier;
  await done('POST', '/api/v3/pass', { data: { templateId, emailRecipient: EMAIL } });
  const condition = { field: 'emailRecipient', operator: 'equals', value: EMAIL };
  const filter = { query: { templateId: other, groups: [[condition]] } };
  const bulk = await done('POST', '/api/v3/pass/bulk', { data: { storedValue: 5 }, filter });
  await done('DELETE', `/api/pass-template/${other}`);
  expect(await ended(bulk)).toMatchObject({ status: 'finished with errors', errors: { query: expect.any(String) } });
  await service.minutes(180);
  // The list agrees with the process.
  const [listed] = (await service.request('GET', '/api/v3/process')).body.data;
  expect(listed).toMatchObject({ identifier: bulk.processId, status: 'finished with errors' });
  await erase();
  expect(holds(bulk.processId, EMAIL)).toBe(false);
  expect(await stateOf(bulk.processId)).toMatchObject({ status: 'finished', errors: null });
  // A retry without its query would apply to all passes.
  await done('POST', `/api/v3/process/${bulk.processId}/retry`);
  expect(await ended(bulk)).toMatchObject({ status: 'finished', total: 0 });
});
