import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Client, freshAccount, type Reply } from '../support/api.ts';
import {
  allLogged,
  d1,
  eventually,
  evictObject,
  holdJobs,
  logged,
  objectSql,
  runScheduled,
  sendJobs,
} from '../support/control.ts';
import { changesOf, crowdedAccount, toldBy } from '../support/processes.ts';

/*
 * Faults between a process's object, the queue, its consumers and D1, caused from outside: by triggers in the
 * databases, repeated messages and killed objects. Each pass must still change exactly once: its version one higher,
 * one event, and exact counts.
 */

const RANGE_ITEMS = 100;
/** A statement that fails like a bug or a broken disk, not like invalid data. */
const BREAKS = `select json('this is no JSON')`;

interface Run {
  client: Client;
  templateId: string;
  ids: string[];
  processId: string;
  object: { binding: 'PROCESSES'; name: string };
}

/** Starts an update of many passes; `prepare` runs before the start. */
async function run(passes: number, prepare?: (ids: string[]) => Promise<unknown>): Promise<Run> {
  const { client, templateId, ids } = await crowdedAccount(passes);
  await prepare?.(ids);
  const data = { storedValue: 1, 'Full name': 'Ada' };
  const started: Reply = await client.patch('/api/v3/pass/bulk', { data, filter: { identifiers: ids } });
  expect(started.status).toBe(202);
  const { processId } = started.body.data;
  return { client, templateId, ids, processId, object: { binding: 'PROCESSES', name: processId } };
}

/** Makes everything that the process waits for due now, and has the cron resume it. */
async function hurry({ object, processId }: Run): Promise<void> {
  await objectSql(object, 'update ranges set due_at = 1, claimed_until = 1 where due_at is not null');
  await d1('update processes set mirrored_at = 0 where id = ?', [processId]);
  await runScheduled();
}

const stateOf = async ({ client, processId }: Run) => (await client.get(`/api/v3/process/${processId}`)).body.data;

/** Returns the process once it has ended, with its waits skipped. */
function endOf(run: Run) {
  return eventually(async () => {
    await hurry(run);
    const state = await stateOf(run);
    return state.status !== 'in progress' && state;
  });
}

async function expectExactlyOnce({ templateId, ids }: Run): Promise<void> {
  expect(await changesOf(templateId)).toEqual({
    passesByVersion: { 1: 1, 2: ids.length },
    passesByEvents: { 1: ids.length },
  });
}

function rangesOf({ processId, ids }: Run) {
  return Array.from({ length: Math.ceil(ids.length / RANGE_ITEMS) }, (_, i) => ({
    type: 'apply-process-range' as const,
    processId,
    first: i * RANGE_ITEMS,
    last: Math.min(ids.length, (i + 1) * RANGE_ITEMS) - 1,
  }));
}

test('a process whose row cannot be written at its start still starts, once', async () => {
  const client = await freshAccount();
  const templateId = await client.createTemplate();
  const trigger = `no_row_${client.accountId.replaceAll('-', '_')}`;
  await d1(
    `create trigger ${trigger} before insert on processes when new.account_id = '${client.accountId}' begin ${BREAKS}; end`,
  );
  const create = { templateId, passes: [{ userProvidedId: 'one' }, { userProvidedId: 'two' }] };
  const send = () => client.post('/api/v3/pass/bulk/create', create, { 'Idempotency-Key': 'bulk' });
  const started = await send();
  await d1(`drop trigger ${trigger}`);
  const repeated = await send();
  expect([started.status, repeated.body]).toEqual([202, started.body]);
  const { processId } = started.body.data;
  const state = await eventually(async () => {
    const { status, body } = await client.get(`/api/v3/process/${processId}`);
    return status === 200 && body.data.status !== 'in progress' && body.data;
  });
  expect(state).toMatchObject({ current: 2, total: 2, status: 'finished' });
  expect((await client.get(`/api/pass/list/${templateId}`)).body.total).toBe(2);
});

test('an object that ended before its last totals reached the database writes them when it is resumed', async () => {
  const started = await run(10);
  const { body } = await started.client.get(`/api/v3/process/${started.processId}/events`);
  expect(toldBy(body).at(-1)).toMatchObject({ status: 'finished' });
  const isListed = () => d1('select 1 from processes where id = ? and finished_at is not null', [started.processId]);
  await eventually(async () => (await isListed()).length > 0);
  // The state after the object crashes between computing its totals and writing them.
  await d1('update processes set finished_at = null, mirrored_at = 0 where id = ?', [started.processId]);
  await evictObject(started.object);
  await runScheduled();
  // The cron has woken the object, which writes them within seconds. This one does so at its next start.
  await eventually(async () => {
    const skipWait = 'update process set mirror_due_at = 1 where mirror_due_at is not null returning 1';
    return (await objectSql(started.object, skipWait)).length > 0;
  });
  await evictObject(started.object);
  await stateOf(started);
  expect(await eventually(async () => (await isListed()).length > 0)).toBe(true);
});

test('a selection that never succeeds ends the process with an error, and starts again when retried', async () => {
  const client = await freshAccount();
  const templateId = await client.createTemplate();
  await client.createPass(templateId);
  const filter = { query: { templateId } };
  const started = await client.patch('/api/v3/pass/bulk', { data: { storedValue: 1 }, filter });
  const { processId } = started.body.data;
  const object = { binding: 'PROCESSES', name: processId } as const;
  const [kept] = await objectSql<{ facts: string }>(object, 'select facts from facts');
  const damaged = JSON.stringify({ ...JSON.parse(kept!.facts), account: null });
  await objectSql(object, 'update facts set facts = ?', [damaged]);
  // Reverts whatever an earlier message has selected before the damage.
  await objectSql(object, 'delete from ranges');
  await objectSql(
    object,
    'update process set items = 0, selecting = 1, after_id = null, succeeded = 0, failed = 0, finished_at = null, selection_due_at = 1',
  );
  const state = await eventually(async () => {
    await objectSql(object, 'update process set selection_due_at = 1 where selecting');
    await d1('update processes set mirrored_at = 0, finished_at = null where id = ?', [processId]);
    await runScheduled();
    const { body } = await client.get(`/api/v3/process/${processId}`);
    return body.data.status !== 'in progress' && body.data;
  });
  expect(state).toMatchObject({
    status: 'finished with errors',
    errors: { query: expect.stringMatching(/interrupted/) },
  });
  await objectSql(object, 'update facts set facts = ?', [kept!.facts]);
  await client.post(`/api/v3/process/${processId}/retry`);
  const { body } = await client.get(`/api/v3/process/${processId}/events`);
  expect(toldBy(body).at(-1)).toMatchObject({ current: 1, total: 1, status: 'finished', errors: null });
});

test('messages arrive twice and out of order', async () => {
  const started = await run(1_000);
  const jobs = rangesOf(started).reverse();
  await sendJobs([...jobs, ...jobs, { ...jobs[0]!, first: 7 }], started.client);
  const { body } = await started.client.get(`/api/v3/process/${started.processId}/events`);
  expect(toldBy(body).at(-1)).toMatchObject({ current: 1_000, total: 1_000, status: 'finished', errors: null });
  await sendJobs(jobs, started.client);
  await expectExactlyOnce(started);
});

test('the consumer fails before its batch is committed', async () => {
  const trigger = `break_${randomUUID().replaceAll('-', '_')}`;
  // Set up before the start: a fast queue may apply a range before a slow test continues.
  const started = await run(250, ([id]) =>
    d1(
      `create trigger ${trigger} before insert on applied_items when new.process_id in (select processes.id
         from processes join passes on passes.account_id = processes.account_id where passes.id = '${id}') begin ${BREAKS}; end`,
    ),
  );
  try {
    await logged({ event: 'process-range', process: started.processId, first: 200 });
    expect(await stateOf(started)).toMatchObject({ current: 0, status: 'in progress' });
    expect(await changesOf(started.templateId)).toEqual({ passesByVersion: { 1: 251 }, passesByEvents: {} });
  } finally {
    await d1(`drop trigger ${trigger}`, [], started.client);
  }
  expect(await endOf(started)).toMatchObject({ current: 250, total: 250, status: 'finished', errors: null });
  await expectExactlyOnce(started);
});

test('the consumer fails after its batch is committed, and meanwhile others change the passes', async () => {
  const ranges = await holdJobs('apply-process-range');
  const started = await run(250);
  const { object, client, ids, templateId } = started;
  await objectSql(object, "create trigger deaf before delete on ranges begin select raise(abort, 'deaf'); end");
  await ranges.release();
  await eventually(async () => (await changesOf(templateId)).passesByVersion[2] === 250);
  expect(await stateOf(started)).toMatchObject({ current: 0, status: 'in progress' });
  await client.patch(`/api/v3/pass/${ids[0]}`, { data: { storedValue: 99 } });
  await client.delete(`/api/pass/${ids[1]}`);
  await objectSql(object, 'drop trigger deaf');
  expect(await endOf(started)).toMatchObject({ current: 250, total: 250, status: 'finished', errors: null });
  expect(await d1('select version, stored_value as value from passes where id = ?', [ids[0]!])).toEqual([
    { version: 3, value: 99 },
  ]);
  expect(await changesOf(templateId)).toEqual({
    passesByVersion: { 1: 1, 2: 248, 3: 1 },
    passesByEvents: { 1: 249, 2: 1 },
  });
});

test('a range that two consumers apply at once is applied once', async () => {
  const started = await run(100);
  const { object } = started;
  const [job] = rangesOf(started);
  // No range is ever marked as claimed, so each of the messages gets the range.
  await objectSql(
    object,
    'create trigger free after update of claimed_until on ranges when new.claimed_until > 1 begin update ranges set claimed_until = 1; end',
  );
  await sendJobs(Array(12).fill(job), started.client);
  await eventually(async () => (await changesOf(started.templateId)).passesByVersion[2] === 100);
  await objectSql(object, 'drop trigger free');
  expect(await endOf(started)).toMatchObject({ current: 100, total: 100, status: 'finished', errors: null });
  await expectExactlyOnce(started);
});

test('one item that always breaks its batch is isolated by splitting its range', async () => {
  let trigger = '';
  const started = await run(250, async (ids) => {
    trigger = `poison_${ids[57]!.replaceAll('-', '_')}`;
    await d1(`create trigger ${trigger} before update on passes when new.id = '${ids[57]}' begin ${BREAKS}; end`);
  });
  try {
    const state = await endOf(started);
    expect(state).toMatchObject({ current: 250, total: 250, status: 'finished with errors' });
    expect(state.errors).toEqual({ [started.ids[57]!]: 'Could not be processed because of an internal error' });
  } finally {
    await d1(`drop trigger ${trigger}`);
  }
  expect(await changesOf(started.templateId)).toEqual({
    passesByVersion: { 1: 2, 2: 249 },
    passesByEvents: { 1: 249 },
  });
  const retried = await started.client.post(`/api/v3/process/${started.processId}/retry`);
  expect(retried.body.count).toBe(1);
  expect(await endOf(started)).toMatchObject({ current: 250, total: 250, status: 'finished', errors: null });
  await expectExactlyOnce(started);
});

test('one item whose values the database rejects fails alone, in the same run', async () => {
  let trigger = '';
  const started = await run(100, async (ids) => {
    trigger = `refuse_${ids[3]!.replaceAll('-', '_')}`;
    await d1(
      `create trigger ${trigger} before update on passes when new.id = '${ids[3]}' begin select raise(abort, 'no'); end`,
    );
  });
  const { body } = await started.client.get(`/api/v3/process/${started.processId}/events`);
  await d1(`drop trigger ${trigger}`);
  expect(toldBy(body).at(-1)).toMatchObject({
    current: 100,
    status: 'finished with errors',
    errors: { [started.ids[3]!]: 'The database rejected the values of this pass' },
  });
  expect((await changesOf(started.templateId)).passesByVersion).toEqual({ 1: 2, 2: 99 });
});

test('the object is killed repeatedly along the way', async () => {
  const ranges = await holdJobs('apply-process-range');
  const started = await run(6_000);
  const { object } = started;
  const look = async () =>
    (
      await objectSql<{ done: number; finished_at: number | null }>(
        object,
        'select succeeded as done, finished_at from process',
      )
    )[0]!;
  let onTheWay = 0;
  for (let row = await look(); row.finished_at === null; row = await look()) {
    if (row.done > 0) onTheWay += 1;
    const { done } = row;
    await ranges.admitBatch();
    let looks = 0;
    await eventually(async () => {
      const now = await look();
      if (++looks % 3 === 0) {
        await hurry(started);
        // The batch may have had only messages of finished ranges.
        await ranges.admitBatch();
      }
      return now.done > done || now.finished_at !== null;
    });
    // In the middle of a batch, with the next one waiting.
    await evictObject(object);
  }
  expect(onTheWay).toBeGreaterThan(2);
  expect(await stateOf(started)).toMatchObject({ current: 6_000, total: 6_000, status: 'finished', errors: null });
  await expectExactlyOnce(started);
});

test('lost messages are resent by the alarm', async () => {
  const ranges = await holdJobs('apply-process-range');
  const started = await run(250);
  const { object, processId: subject } = started;
  // All ranges are claimed by consumers that never answer, so the messages have no effect.
  await objectSql(object, 'update ranges set claims = 1, claimed_until = 9e15, due_at = 9e15');
  await ranges.release();
  await eventually(
    async () => (await allLogged({ event: 'job', job: 'apply-process-range', subject, d1RoundTrips: 0 })).length >= 3,
  );
  await objectSql(object, 'update ranges set claimed_until = 1, due_at = 1');
  await evictObject(object);
  const { body } = await started.client.get(`/api/v3/process/${started.processId}/events`);
  expect(toldBy(body).at(-1)).toMatchObject({ current: 250, total: 250, status: 'finished', errors: null });
  await expectExactlyOnce(started);
});

test('passes changed by others at the same time lose neither change', async () => {
  const started = await run(300);
  const { client, ids } = started;
  const rivals = ids.slice(0, 60);
  await Promise.all(rivals.map((id) => client.patch(`/api/v3/pass/${id}`, { data: { Level: 'Gold' } })));
  const { body } = await client.get(`/api/v3/process/${started.processId}/events`);
  expect(toldBy(body).at(-1)).toMatchObject({ current: 300, status: 'finished', errors: null });
  expect(await changesOf(started.templateId)).toEqual({
    passesByVersion: { 1: 1, 2: 240, 3: 60 },
    passesByEvents: { 1: 240, 2: 60 },
  });
  const [both] = await d1<{ n: number }>(
    "select count(*) as n from passes where template_id = ? and stored_value = 1 and properties like '%Gold%' and properties like '%Ada%'",
    [started.templateId],
  );
  expect(both!.n).toBe(60);
});
