import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProcessBody, toldBy } from '../support/processes.ts';
import { type RestartableWorker, startRestartableWorker } from '../support/restartable-worker.ts';
import { sampleTemplate } from '../support/samples.ts';

/* The whole Worker, with its queue, objects and database, is killed with SIGKILL in the middle of its work and started again on the same state. */

const PASSES = 6_000;

let worker: RestartableWorker;
beforeAll(async () => {
  worker = await startRestartableWorker();
}, 120_000);
afterAll(() => worker?.close());

const at = (path: string) => `${worker.origin}${path}` as `http://${string}`;

/** The first state of the process in which it has done something and not all. */
async function beginningOf(processId: string): Promise<ProcessBody> {
  const headers = { Authorization: worker.client.apiKey };
  const reply = await fetch(at(`/api/v3/process/${processId}/events`), { headers });
  let told = '';
  for await (const chunk of reply.body!.pipeThrough(new TextDecoderStream())) {
    told += chunk;
    const last = toldBy(told).at(-1);
    if (last && last.current > 0) return last;
  }
  throw new Error(`the events ended too early: ${told}`);
}

/** Kills the Worker while the process is on its way, and returns when that was, and the state in which the process has ended nevertheless. */
async function killedMidway(processId: string): Promise<{ killedAt: number; state: ProcessBody }> {
  const { current } = await beginningOf(processId);
  const killedAt = Date.now();
  await worker.killAndStart();
  expect(current).toBeLessThan(PASSES);
  const { body } = await worker.client.get(at(`/api/v3/process/${processId}/events`));
  return { killedAt, state: toldBy(body).at(-1)! };
}

test('each pass is created once and changed once', { timeout: 240_000 }, async () => {
  const { client } = worker;
  const template = await client.post(at('/api/v2/pass-template'), sampleTemplate());
  const templateId = template.body.data.identifier;
  const names = Array.from({ length: PASSES }, (_, i) => `pass-${i}`);
  const created = await client.post(at('/api/v3/pass/bulk/create'), {
    templateId,
    passes: names.map((userProvidedId) => ({ userProvidedId, 'Full name': 'Ada' })),
  });
  const creation = await killedMidway(created.body.data.processId);
  expect(creation.state).toMatchObject({ current: PASSES, total: PASSES, status: 'finished', errors: null });

  const changed = await client.patch(at('/api/v3/pass/bulk'), {
    data: { storedValue: 1, 'Full name': 'Grace' },
    filter: { identifiers: names },
  });
  const change = await killedMidway(changed.body.data.processId);
  expect(change.state).toMatchObject({ current: PASSES, total: PASSES, status: 'finished', errors: null });

  const [versions, events, counts, ends] = await worker.stopAndRead<Record<string, unknown>>(
    'select version, stored_value as value, count(*) as passes, count(distinct user_provided_id) as names from passes group by 1, 2',
    `select type, times, count(*) as passes from
      (select type, pass_id, count(*) as times from events where pass_id is not null group by 1, 2) group by 1, 2 order by 1`,
    `select pass_count as n from templates where id = '${templateId}'`,
    'select finished_at as at from processes order by id',
  );
  expect(versions!.map((row) => ({ ...row }))).toEqual([{ version: 2, value: 1, passes: PASSES, names: PASSES }]);
  expect(events!.map((row) => ({ ...row }))).toEqual([
    { type: 'pass_created', times: 1, passes: PASSES },
    { type: 'pass_updated', times: 1, passes: PASSES },
  ]);
  expect(counts![0]!.n).toBe(PASSES);
  // Neither had ended when the Worker was killed.
  const [createdAt, changedAt] = ends!.map(({ at }) => Number(at));
  expect(createdAt).toBeGreaterThan(creation.killedAt);
  expect(changedAt).toBeGreaterThan(change.killedAt);
});
