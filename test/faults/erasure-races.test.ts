import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/* What is under way in the very moment in which a person is erased, and would store a value once more. */

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

/** Waits for a process that does what a person asks for. */
async function ended(started: { processId: string }) {
  await service.until(async () => (await stateOf(started.processId)).status !== 'in progress');
  return stateOf(started.processId);
}

const match = { emailRecipient: EMAIL };
const erase = async (mode = 'delete') => ended(await done('POST', '/api/v3/person/erase', { match, mode }));
const stored = async (prefix: string) => (await service.env.FILES.list({ prefix })).objects.map(({ key }) => key);

/** Does something once, before the first call of a method of the bucket that is about keys that begin like this. */
function before(method: 'put' | 'list', prefix: string, work: () => Promise<unknown>): void {
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

test.each(['delete', 'anonymize'])('an export that has read what goes then keeps nothing of it (%s)', async (mode) => {
  await done('POST', '/api/v3/pass', { data: { templateId, emailRecipient: EMAIL } });
  let erased: { status: string; result: object } | undefined;
  before('put', 'person-exports/', async () => {
    erased = await erase(mode);
  });
  const exported = await ended(await done('POST', '/api/v3/person/export', { match }));
  expect(erased).toMatchObject({ status: 'finished', result: { passes: 1 } });
  expect(exported).toMatchObject({ status: 'finished', result: { passes: 0 } });
  expect(await stored('person-exports/')).toEqual([]);
});

test('an export that ends while its passes go does not outlive them, and its link opens nothing', async () => {
  await done('POST', '/api/v3/pass', { data: { templateId, emailRecipient: EMAIL } });
  let exported: { status: string; result: { url: string; passes: number } } | undefined;
  // The exports that stood are deleted by then.
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
