import { afterEach, describe, expect, test, vi } from 'vitest';
import { COPIED_PASS, copyRow } from '../support/copy-row.ts';
import { d1Around } from '../support/d1-over.ts';
import { sampleTemplate } from '../support/samples.ts';
import { type Faults, ServiceInProcess, type ServiceReply } from '../support/service-in-process.ts';

const SEAT = '000000000000b.00000001';
const GATE = '000000000000b.00000002';
/** Further properties, which no pass has: with ten, a page has 100 passes. */
const FURTHER = Array.from({ length: 8 }, (_, i) => `000000000000c.0000000${i}`);
/** More pages than a request claims itself. */
const PASSES = 5_500;
/** Far below the 1,000 queries of an invocation (Cloudflare, D1 limits). */
const QUERIES_MAX = 100;
const TAKEN = ['Seat: the value must be unique'];

let service: ServiceInProcess;
afterEach(() => service.close());

/** Opens a service with a template; `seat` is the SQL for the value of each pass but the first. */
async function makeCrowd({
  seat = "'' || numbers.value",
  ...faults
}: Faults & { seat?: string } = {}): Promise<string> {
  service = await new ServiceInProcess(faults).open();
  const additionalProperties = [
    { id: SEAT, name: 'Seat', type: 'text' as const },
    { id: GATE, name: 'Gate', type: 'text' as const },
    ...FURTHER.map((id) => ({ id, name: id, type: 'text' as const })),
  ];
  const made = await service.request('POST', '/api/v2/pass-template', sampleTemplate({ additionalProperties }));
  const templateId = made.body.data.identifier;
  const { body } = await create(templateId, '0');
  const run = <Row>(statement: string, params: unknown[]) => service.rows<Row>(statement, params);
  const own = { ...COPIED_PASS, properties: `json_object('${SEAT}', ${seat})` };
  await copyRow(run, { table: 'passes', where: 'id = ?', params: [body.data.identifier], rows: PASSES - 1, own });
  await run('update templates set pass_count = ?', [PASSES]);
  return templateId;
}

const create = (templateId: string, seat: string) =>
  service.request('POST', '/api/v3/pass?async=false', { data: { templateId, Seat: seat } });
const save = (templateId: string, ids = [SEAT]) =>
  service.request('PATCH', `/api/v2/pass-template/${templateId}`, {
    additionalProperties: ids.map((id) => ({ id, unique: true })),
  });
const claims = () => service.count('select count(*) from unique_property_values');
const changes = () => service.rows<{ run: string | null }>('select run from unique_property_changes');
const processes = async () => (await service.request('GET', '/api/v3/process')).body.data;
const isUnique = async (templateId: string) => {
  const { body } = await service.request('GET', `/api/v2/pass-template/${templateId}/describe`);
  return body.data.additionalProperties.find(({ id }: { id: string }) => id === SEAT).unique;
};
const ofPass = async (order: 'asc' | 'desc', place = 0) => {
  const select = `select id, properties ->> '$."${SEAT}"' as seat from passes order by id ${order} limit 1 offset ?`;
  return (await service.rows<{ id: string; seat: string }>(select, [place]))[0]!;
};

/** Waits, in real time, until a condition holds. The service delivers no message meanwhile. */
async function reached(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
const hasProcess = async () => (await service.count('select count(*) from processes')) > 0;
const isRunning = async () => (await service.count('select count(*) from processes where finished_at is null')) > 0;

/** Lets minutes pass until a save is answered. It polls in shortened real time, so each minute waits for a poll. */
async function answered(saving: Promise<ServiceReply>): Promise<ServiceReply> {
  let reply: ServiceReply | undefined;
  const ended = saving.then((one) => {
    reply = one;
  });
  await service.until(async () => {
    const waitMs = (await hasProcess()) && !(await isRunning()) ? 2_500 : 200;
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, waitMs))]);
    return reply !== undefined;
  });
  return reply!;
}

/** Counts the queries and claimed pages of each session with the database: a request, job or cron task has one. */
function countQueries() {
  const counts: { queries: number; pages: number }[] = [];
  const binding = service.env.DB;
  const withSession = binding.withSession.bind(binding);
  Object.assign(binding, {
    withSession: () => {
      const place = counts.push({ queries: 0, pages: 0 }) - 1;
      const session = withSession() as unknown as D1Database;
      const counted = d1Around(session, async (work, statements) => {
        const pages = statements.filter(({ sql }) => /^insert into "unique_property_values".* limit /s.test(sql));
        counts[place]!.queries += statements.length;
        counts[place]!.pages += pages.length;
        return work();
      });
      return counted.withSession();
    },
  });
  return counts;
}

/** Makes the requests that wait for a process end without a reply, until the returned function is called. */
function cutRequests(): () => void {
  const known = service.env.PROCESSES;
  const state = async () => {
    throw new Error('the isolate is gone');
  };
  const get = (id: DurableObjectId) =>
    new Proxy(known.get(id), { get: (stub, name) => (name === 'state' ? state : Reflect.get(stub, name)) });
  service.env.PROCESSES = { idFromName: known.idFromName, get } as unknown as typeof known;
  return () => {
    service.env.PROCESSES = known;
  };
}

/** Has a process claim all values for a request that ends without a reply. */
async function claimedForNobody(templateId: string): Promise<void> {
  const reconnect = cutRequests();
  expect((await save(templateId)).status).toBe(500);
  reconnect();
  await service.until(async () => !(await isRunning()));
  expect([await claims(), await isUnique(templateId)]).toEqual([PASSES, false]);
}

async function expectAsBefore(templateId: string): Promise<void> {
  expect(await isUnique(templateId)).toBe(false);
  expect(await service.rows('select version, unique_properties as held from templates')).toEqual([
    { version: 1, held: '[]' },
  ]);
  await service.minutes(2);
  expect([await claims(), await changes()]).toEqual([0, []]);
  expect((await create(templateId, '1')).status).toBe(200);
}

describe('a property of more passes than a request checks itself', () => {
  test('becomes unique through a process, with few queries in each request and job', async () => {
    const templateId = await makeCrowd();
    const counts = countQueries();
    expect((await answered(save(templateId))).status).toBe(200);
    expect([await claims(), await changes(), await isUnique(templateId)]).toEqual([PASSES, [], true]);
    expect(Math.max(...counts.map(({ queries }) => queries))).toBeLessThan(QUERIES_MAX);
    await service.minutes(1);
    expect(await processes()).toEqual([
      expect.objectContaining({ current: PASSES, total: PASSES, status: 'finished' }),
    ]);
    const refused = await create(templateId, '77');
    expect([refused.status, refused.body.errors]).toEqual([400, ['data.Seat: the value must be unique']]);
    expect((await create(templateId, 'new')).status).toBe(200);
  });

  test('shares the process with another one', async () => {
    const templateId = await makeCrowd();
    await service.rows('update passes set properties = json_set(properties, ?, key)', [`$."${GATE}"`]);
    expect((await answered(save(templateId, [SEAT, GATE]))).status).toBe(200);
    expect([await claims(), await changes(), (await processes()).length]).toEqual([2 * PASSES, [], 1]);
  });

  test('is claimed by one job after another, twenty pages each', async () => {
    const templateId = await makeCrowd();
    const counts = countQueries();
    expect((await answered(save(templateId, [SEAT, GATE, ...FURTHER]))).status).toBe(200);
    expect([await claims(), await changes()]).toEqual([PASSES, []]);
    expect(counts.flatMap(({ pages }) => (pages > 0 ? pages : []))).toEqual([20, 20, 16]);
    expect(Math.max(...counts.map(({ queries }) => queries))).toBeLessThan(QUERIES_MAX);
  });

  test('is rejected by name if the last two values repeat, and all is as before', async () => {
    const templateId = await makeCrowd({ seat: `'' || min(numbers.value, ${PASSES - 2})` });
    const reply = await answered(save(templateId));
    expect([reply.status, reply.body.errors]).toEqual([400, TAKEN]);
    await service.minutes(1);
    const [{ identifier, status }] = await processes();
    expect(status).toBe('finished with errors');
    const { body } = await service.request('GET', `/api/v3/process/${identifier}`);
    expect(body.data.errors).toEqual({ Seat: 'the value must be unique' });
    await expectAsBefore(templateId);
  });

  test('applies to 50 passes created after the process has started: one for each value', async () => {
    const templateId = await makeCrowd();
    const saving = save(templateId);
    await reached(hasProcess);
    const creates = Array.from({ length: 50 }, (_, i) => create(templateId, `same ${i % 5}`));
    const [reply, ...created] = await Promise.all([answered(saving), ...creates]);
    const statuses = created.map(({ status }) => status).sort();
    expect([reply.status, statuses]).toEqual([200, [...Array(5).fill(200), ...Array(45).fill(400)]]);
    expect(await claims()).toBe(PASSES + 5);
  });

  test('rejects a pass with a value whose page is to come, or is rejected because of it', async () => {
    const templateId = await makeCrowd();
    const saving = save(templateId);
    await reached(hasProcess);
    expect((await create(templateId, (await ofPass('desc', 5)).seat)).status).toBe(200);
    const reply = await answered(saving);
    expect([reply.status, reply.body.errors]).toEqual([400, TAKEN]);
    await expectAsBefore(templateId);
  });

  test('becomes unique once for two requests at the same time, through one process', async () => {
    const templateId = await makeCrowd();
    const first = save(templateId);
    await reached(hasProcess);
    const [one, other] = await Promise.all([answered(first), save(templateId)]);
    expect([one.status, other.status, (await processes()).length]).toEqual([200, 200, 1]);
    expect([await claims(), await changes()]).toEqual([PASSES, []]);
    expect(await service.count('select count(*) from template_versions')).toBe(2);
  });
});

describe('the process of a property that becomes unique', () => {
  test('claims each value once although messages, objects and the database fail', async () => {
    const templateId = await makeCrowd({ lostOneIn: 3, twiceOneIn: 3, diesOneIn: 10, d1OneIn: 10 });
    service.begin();
    let reply = await answered(save(templateId));
    for (let repeats = 0; reply.status !== 200 && repeats < 20; repeats++) {
      expect([409, 500, 503]).toContain(reply.status);
      reply = await answered(save(templateId));
    }
    service.end();
    expect([reply.status, await claims(), await changes()]).toEqual([200, PASSES, []]);
    expect((await create(templateId, '77')).status).toBe(400);
  });

  test('goes on when its request has ended, and a repeat of the request stores the definition at once', async () => {
    const templateId = await makeCrowd();
    await claimedForNobody(templateId);
    expect((await create(templateId, '77')).status).toBe(400);
    expect((await save(templateId)).status).toBe(200);
    expect([await claims(), await changes(), (await processes()).length]).toEqual([PASSES, [], 1]);
  });

  test('leaves nothing if no request repeats', async () => {
    const templateId = await makeCrowd();
    await claimedForNobody(templateId);
    await service.minutes(20);
    await expectAsBefore(templateId);
  });

  test('begins again if the database was restored to a time before its end', async () => {
    const templateId = await makeCrowd();
    await claimedForNobody(templateId);
    await service.rows("update unique_property_changes set run = substr(run, 1, instr(run, '/5500/')) || '0/'");
    await service.rows('delete from unique_property_values where rowid % 2 = 0');
    const reply = await answered(save(templateId));
    expect([reply.status, reply.body.errors]).toEqual([200, []]);
    expect([await claims(), await changes(), (await processes()).length]).toEqual([PASSES, [], 2]);
  });

  test('continues when a request has waited for four minutes, which names it', async () => {
    const templateId = await makeCrowd();
    const saving = save(templateId);
    await reached(hasProcess);
    const [{ identifier }] = await processes();
    vi.setSystemTime(Date.now() + 5 * 60_000);
    const reply = await saving;
    expect([reply.status, reply.body.errors.join()]).toEqual([409, expect.stringContaining(identifier)]);
    await service.until(async () => !(await isRunning()));
    expect((await save(templateId)).status).toBe(200);
    expect([await claims(), (await processes()).length]).toEqual([PASSES, 1]);
  });

  test('can be canceled, which refuses the request', async () => {
    const templateId = await makeCrowd();
    const saving = save(templateId);
    await reached(hasProcess);
    const [{ identifier }] = await processes();
    expect((await service.request('DELETE', `/api/v3/process/${identifier}`)).status).toBe(200);
    const reply = await saving;
    expect([reply.status, reply.body.errors.join()]).toEqual([409, expect.stringContaining('canceled')]);
    await expectAsBefore(templateId);
  });

  test('ends with its template', async () => {
    const templateId = await makeCrowd();
    const saving = save(templateId);
    await reached(hasProcess);
    expect((await service.request('DELETE', `/api/pass-template/${templateId}`)).status).toBe(200);
    expect((await answered(saving)).status).toBe(404);
    await service.until(async () => (await service.count('select count(*) from passes')) === 0);
    await service.minutes(20);
    expect([await claims(), await changes()]).toEqual([0, []]);
  });

  test('takes over values that are still being released', async () => {
    const templateId = await makeCrowd();
    expect((await answered(save(templateId))).status).toBe(200);
    const ended = { additionalProperties: [{ id: SEAT, unique: false }] };
    expect((await service.request('PATCH', `/api/v2/pass-template/${templateId}`, ended)).status).toBe(200);
    const { id } = await ofPass('asc');
    expect((await service.request('PATCH', `/api/v3/pass/${id}?async=false`, { data: { Seat: 'other' } })).status).toBe(
      200,
    );
    expect(await claims()).toBe(PASSES - 1);
    expect((await answered(save(templateId))).status).toBe(200);
    await service.minutes(2);
    expect([await claims(), await changes(), await isUnique(templateId)]).toEqual([PASSES, [], true]);
    expect((await create(templateId, 'other')).status).toBe(400);
  });
});
