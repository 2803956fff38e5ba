import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { allLogged, d1, eventually, holdJobs, logged, objectSql, runScheduled } from '../../support/control.ts';
import { changesOf, crowdedAccount, ended, toldBy } from '../../support/processes.ts';

const BULK = '/api/v3/pass/bulk';

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

const nameOf = (processId: string) => ({ binding: 'PROCESSES' as const, name: processId });

/** Prevents any range of the process from being assigned. */
const HOLD = "create trigger hold before update of claims on ranges begin select raise(abort, 'held'); end";
const hold = (processId: string) => objectSql(nameOf(processId), HOLD);

/** Starts an update of passes and pauses it: none of its ranges is assigned until release. */
async function held(owner: Client, data: object, identifiers: string[]) {
  const ranges = await holdJobs('apply-process-range');
  const started = await owner.patch(BULK, { data, filter: { identifiers } });
  const { processId } = started.body.data;
  await hold(processId);
  await ranges.release();
  const { body } = await owner.get(`/api/v3/process/${processId}`);
  expect(body.data).toMatchObject({ current: 0, status: 'in progress' });
  return {
    started,
    processId: processId as string,
    release: async () => {
      await objectSql(nameOf(processId), 'drop trigger hold');
      await hurry(processId);
    },
  };
}

/** Makes everything that a process waits for due now, and has the cron resume it. */
async function hurry(processId: string): Promise<void> {
  await objectSql(nameOf(processId), 'update ranges set due_at = 1, claimed_until = 1 where due_at is not null');
  await d1('update processes set mirrored_at = 0 where id = ?', [processId]);
  await runScheduled();
}

describe('reading a process', () => {
  test('that is unknown or foreign returns 404, with the contract’s message', async () => {
    const foreign = await freshAccount();
    const started = await client.patch(BULK, { data: {}, filter: { identifiers: [] } });
    const { processId } = started.body.data;
    const unknown = [
      await client.get(`/api/v3/process/${crypto.randomUUID()}`),
      await client.get('/api/v3/process/nothing'),
      await foreign.get(`/api/v3/process/${processId}`),
      await foreign.get(`/api/v3/process/${processId}/events`),
      await foreign.delete(`/api/v3/process/${processId}`),
      await foreign.post(`/api/v3/process/${processId}/retry`),
    ];
    for (const reply of unknown) {
      expect([reply.status, reply.body]).toEqual([
        404,
        {
          success: false,
          description: 'Object not found',
          errors: ['Object not found'],
          data: [],
          statusCode: 404,
          count: 0,
          responseMetaData: null,
        },
      ]);
    }
  });

  test('has count 1, no metadata, and createdOn in the account’s zone', async () => {
    const vienna = await freshAccount({ timezone: 'Asia/Kolkata' });
    const started = await vienna.patch(BULK, { data: {}, filter: { identifiers: [] } });
    const { status, body } = await vienna.get(`/api/v3/process/${started.body.data.processId}`);
    expect([status, body.count, body.responseMetaData, body.statusCode]).toEqual([200, 1, null, 200]);
    const local = new Date(Date.now() + 5.5 * 3_600_000).toISOString().slice(0, 13).replace('T', ' ');
    const previous = new Date(Date.now() + 5.4 * 3_600_000).toISOString().slice(0, 13).replace('T', ' ');
    expect([local, previous]).toContain(body.data.createdOn.slice(0, 13));
  });

  test('lists those of the account, newest first, with their totals', async () => {
    const owner = await freshAccount();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      const started = await owner.patch(BULK, { data: {}, filter: { identifiers: i === 0 ? ['nobody'] : [] } });
      await ended(owner, started);
      ids.unshift(started.body.data.processId);
    }
    const first = await eventually(async () => {
      const { body } = await owner.get('/api/v3/process?pageSize=2');
      return body.data[1]?.status === 'finished' && body;
    });
    expect([first.count, first.data.map((row: { identifier: string }) => row.identifier)]).toEqual([
      2,
      ids.slice(0, 2),
    ]);
    const rest = await eventually(async () => {
      const { body } = await owner.get(`/api/v3/process?startUid=${ids[1]}`);
      return body.data[0]?.status !== 'in progress' && body;
    });
    expect(rest.data).toEqual([
      { identifier: ids[2], current: 1, total: 1, createdOn: expect.any(String), status: 'finished with errors' },
    ]);
    expect((await owner.get('/api/v3/process?pageSize=0')).status).toBe(400);
  });
});

describe('following a process', () => {
  test('sends its state at once, each change, and the end', async () => {
    const { client: owner, ids } = await crowdedAccount(250);
    const { processId, release } = await held(owner, { storedValue: 1 }, [...ids, 'nobody']);
    const response = await fetch(`${inject('worker').origin}/api/v3/process/${processId}/events`, {
      headers: { Authorization: owner.apiKey },
    });
    expect([response.status, response.headers.get('Content-Type'), response.headers.get('Cache-Control')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no-store',
    ]);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader.read()).value!;
    expect(toldBy(text)).toEqual([
      expect.objectContaining({ current: 0, total: 251, status: 'in progress', errors: null }),
    ]);
    await release();
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    const told = toldBy(text);
    const counts = told.map((state) => state.current);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(told.at(-1)).toMatchObject({
      current: 251,
      total: 251,
      status: 'finished with errors',
      errors: { nobody: 'Object not found' },
    });
    expect(told.filter((state) => state.status !== 'in progress')).toHaveLength(1);
  });

  test('forgets disconnected clients, and serves the others', async () => {
    const { client: owner, ids } = await crowdedAccount(3);
    const { processId, release } = await held(owner, { storedValue: 1 }, ids);
    const leave = new AbortController();
    const url = `${inject('worker').origin}/api/v3/process/${processId}/events`;
    const headers = { Authorization: owner.apiKey };
    const leaving = await fetch(url, { headers, signal: leave.signal });
    await leaving.body!.getReader().read();
    const staying = await fetch(url, { headers });
    leave.abort();
    // A disconnected client is noticed at the next message, at the latest the heartbeat.
    await eventually(async () => {
      await hurry(processId);
      return (await allLogged({ event: 'process-watcher-left', process: processId, watching: 1 })).length > 0;
    });
    await release();
    expect(toldBy(await staying.text()).at(-1)).toMatchObject({ current: 3, status: 'finished' });
    await logged({ event: 'process-watcher-left', process: processId, watching: 0 });
  });
});

describe('cancelling a process', () => {
  test('does not run what has not started, and removes it from the total', async () => {
    const { client: owner, templateId: crowded, ids } = await crowdedAccount(30);
    const { processId, release } = await held(owner, { storedValue: 1 }, ids);
    const reply = await owner.delete(`/api/v3/process/${processId}`);
    expect([reply.status, reply.body.description, reply.body.data]).toEqual([
      200,
      'Process canceled',
      { current: 0, total: 0, createdOn: expect.any(String), status: 'finished', errors: null, cancelled: 30 },
    ]);
    await release();
    const again = await owner.delete(`/api/v3/process/${processId}`);
    expect(again.body.data).toMatchObject({ current: 0, total: 0, status: 'finished', cancelled: 30 });
    expect(again.body.description).toBe('The process had already ended');
    expect(await changesOf(crowded)).toEqual({ passesByVersion: { 1: 31 }, passesByEvents: {} });
  });

  test('says that a finished process had ended, and leaves its state', async () => {
    const { identifier } = await client.createPass(templateId);
    const started = await client.patch(BULK, { filter: { identifiers: [identifier] }, data: { storedValue: 4 } });
    const before = await ended(client, started);
    const { status, body } = await client.delete(`/api/v3/process/${started.body.data.processId}`);
    expect([status, body.description, body.data]).toEqual([200, 'The process had already ended', before]);
  });

  test('says that nothing was left to cancel if all items are in progress', async () => {
    const { client: owner, ids } = await crowdedAccount(30);
    const { processId, release } = await held(owner, { storedValue: 1 }, ids);
    await objectSql(nameOf(processId), `drop trigger hold; update ranges set claims = 1; ${HOLD}`);
    const { body } = await owner.delete(`/api/v3/process/${processId}`);
    expect(body.description).toBe('No items were left to cancel; those in progress finish');
    expect(body.data).toMatchObject({ total: 30, status: 'in progress' });
    await release();
  });

  test('lets ranges in progress finish', async () => {
    const { client: owner, templateId: crowded, ids } = await crowdedAccount(250);
    const { processId, release } = await held(owner, { storedValue: 1 }, ids);
    // Marks all ranges at once, or others would be assigned in between.
    const taken = 'update ranges set claims = 1 where first = 0';
    await objectSql(nameOf(processId), `drop trigger hold; ${taken}; ${HOLD}`);
    const { body } = await owner.delete(`/api/v3/process/${processId}`);
    expect(body.data).toMatchObject({ current: 0, total: 100, status: 'in progress', cancelled: 150 });
    await release();
    const last = toldBy((await owner.get(`/api/v3/process/${processId}/events`)).body).at(-1);
    expect(last).toMatchObject({ current: 100, total: 100, status: 'finished', cancelled: 150 });
    expect(await changesOf(crowded)).toEqual({ passesByVersion: { 1: 151, 2: 100 }, passesByEvents: { 1: 100 } });
  });
});

describe('retrying a process', () => {
  test('can be cancelled: items not yet retried stay failed, with their message', async () => {
    const started = await client.patch(BULK, {
      passes: [
        { identifier: 'nobody', data: { storedValue: 1 } },
        { identifier: 'no one', data: { storedValue: 2 } },
      ],
    });
    const { errors } = await ended(client, started);
    const { processId } = started.body.data;
    const path = `/api/v3/process/${processId}` as const;
    await hold(processId);
    await client.post(`${path}/retry`);
    expect((await client.get(path)).body.data).toMatchObject({ current: 0, total: 2, errors: null });
    const { body } = await client.delete(path);
    expect(body.data).toMatchObject({ current: 2, total: 2, status: 'finished with errors', errors });
    expect(body.data).not.toHaveProperty('cancelled');
    await objectSql(nameOf(processId), 'drop trigger hold');
    await client.createPass(templateId, { userProvidedId: 'nobody' });
    const again = await client.post(`${path}/retry`);
    expect([again.body.count, (await ended(client, again)).errors]).toEqual([2, { 'no one': 'Object not found' }]);
  });

  test('runs the failed items again with their values, and only those', async () => {
    await client.createPass(templateId, { userProvidedId: 'there' });
    const started = await client.patch(BULK, {
      passes: [
        { identifier: 'there', data: { storedValue: 1 } },
        { identifier: 'late', data: { storedValue: 2 } },
        { identifier: 'never', data: { storedValue: 3 } },
      ],
    });
    const first = await ended(client, started);
    expect(Object.keys(first.errors!)).toEqual(['late', 'never']);
    await client.createPass(templateId, { userProvidedId: 'late' });
    const retried = await client.post(`/api/v3/process/${started.body.data.processId}/retry`);
    expect([retried.status, retried.body.count, retried.body.data]).toEqual([202, 2, started.body.data]);
    expect(await ended(client, retried)).toMatchObject({
      current: 3,
      total: 3,
      status: 'finished with errors',
      errors: { never: 'Object not found' },
    });
    const rows = await d1(
      'select version, stored_value as value from passes where user_provided_id in (?, ?) and account_id = ? order by 2',
      ['there', 'late', client.accountId],
    );
    expect(rows).toEqual([
      { version: 2, value: 1 },
      { version: 2, value: 2 },
    ]);
  });

  test('of a process without errors runs nothing', async () => {
    const started = await client.patch(BULK, { data: {}, filter: { identifiers: [] } });
    const retried = await client.post(`/api/v3/process/${started.body.data.processId}/retry`);
    expect([retried.status, retried.body.count, retried.body.description]).toEqual([
      202,
      0,
      'There are no failed items to retry',
    ]);
    expect(await ended(client, retried)).toMatchObject({ total: 0, status: 'finished' });
  });
});

test('a process’s ledger is deleted an hour after it has ended without errors', async () => {
  const { client: owner, ids } = await crowdedAccount(3);
  const started = await owner.patch(BULK, { data: { storedValue: 1 }, filter: { identifiers: ids } });
  await ended(owner, started);
  const { processId } = started.body.data;
  const noted = () => d1('select items from applied_items where process_id = ?', [processId]);
  expect(await noted()).toEqual([{ items: '[0,1,2]' }]);
  const [row] = await objectSql<{ prune_due_at: number; finished_at: number }>(
    nameOf(processId),
    'select prune_due_at, finished_at from process',
  );
  expect(row!.prune_due_at - row!.finished_at).toBe(3_600_000);
  await objectSql(nameOf(processId), 'update process set prune_due_at = 1, mirror_due_at = 1');
  await d1('update processes set finished_at = null, mirrored_at = 0 where id = ?', [processId]);
  await runScheduled();
  await eventually(async () => (await noted()).length === 0);
});
