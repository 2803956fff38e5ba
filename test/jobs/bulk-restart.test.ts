import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type ProcessBody, toldBy } from '../support/processes.ts';
import { type RestartableWorker, startRestartableWorker } from '../support/restartable-worker.ts';
import { sampleTemplate } from '../support/samples.ts';

/*
 * The whole Worker, with its queue, objects and database, is killed with SIGKILL during its work and restarted on the
 * same state.
 */

const PASSES = 1_500;

const BEGINS_WITHIN_MS = 120_000;

/** Longer than the object waits for a consumer's result before it sends the work again. */
const DOWN_MS = 20_000;

/** On a busy machine, a process may end before the kill; then everything is repeated. */
const ROUNDS_MAX = 3;

const at = ({ origin }: RestartableWorker, path: string) => `${origin}${path}` as `http://${string}`;

/** A check reads the file in the test's process. Checks that aren't urgent leave the Worker its processor time. */
const SLOW_PAUSE_MS = 200;

/** Waits until a statement selects a row. */
async function begun(worker: RestartableWorker, statement: string, pauseMs = 5): Promise<void> {
  const end = Date.now() + BEGINS_WITHIN_MS;
  while (worker.read(statement).length === 0) {
    if (Date.now() > end) throw new Error(`no row for: ${statement}`);
    await setTimeout(pauseMs);
  }
}

/**
 * Kills the Worker once a statement selects a row. Returns the time, and the process's final state if it had already
 * ended.
 */
async function killedMidway(
  worker: RestartableWorker,
  processId: string,
  begins: string,
): Promise<{ killedAt: number; state: ProcessBody }> {
  await begun(worker, begins);
  const killedAt = worker.now();
  await worker.killAndStart(DOWN_MS);
  const { body } = await worker.client.get(at(worker, `/api/v3/process/${processId}/events`));
  // The object reports the end before its row does.
  await begun(worker, `select 1 from processes where id = '${processId}' and finished_at is not null`, SLOW_PAUSE_MS);
  return { killedAt, state: toldBy(body).at(-1)! };
}

test('each pass is created once and changed once', { timeout: 600_000 }, async () => {
  const rounds: Round[] = [];
  while (rounds.length < ROUNDS_MAX && !rounds.some(wasMidway)) {
    const worker = await startRestartableWorker();
    try {
      rounds.push(await createAndChange(worker));
    } finally {
      await worker.close();
    }
  }
  expect(rounds.some(wasMidway), JSON.stringify(rounds)).toBe(true);
});

/** Times when the Worker was killed, and when the process then ended, for a creation and a change. */
type Round = { killedAt: number; endedAt: number }[];

const wasMidway = (round: Round) => round.every(({ killedAt, endedAt }) => endedAt > killedAt);

/** Creates passes and changes them, killing the Worker each time. */
async function createAndChange(worker: RestartableWorker): Promise<Round> {
  const { client } = worker;
  const template = await client.post(at(worker, '/api/v2/pass-template'), sampleTemplate());
  const templateId = template.body.data.identifier;
  const names = Array.from({ length: PASSES }, (_, i) => `pass-${i}`);
  const created = await client.post(at(worker, '/api/v3/pass/bulk/create'), {
    templateId,
    passes: names.map((userProvidedId) => ({ userProvidedId, 'Full name': 'Ada' })),
  });
  const creation = await killedMidway(worker, created.body.data.processId, 'select 1 from passes limit 1');
  expect(creation.state).toMatchObject({ current: PASSES, total: PASSES, status: 'finished', errors: null });

  const changed = await client.patch(at(worker, '/api/v3/pass/bulk'), {
    data: { storedValue: 1, 'Full name': 'Grace' },
    filter: { identifiers: names },
  });
  const change = await killedMidway(
    worker,
    changed.body.data.processId,
    'select 1 from passes where version = 2 limit 1',
  );
  expect(change.state).toMatchObject({ current: PASSES, total: PASSES, status: 'finished', errors: null });

  const [versions, events, counts, ends] = await worker.stopAndRead<Record<string, unknown>>(
    'select version, stored_value as value, count(*) as passes, count(distinct user_provided_id) as names from passes group by 1, 2',
    `select type, times, count(*) as passes from
      (select type, pass_id, count(*) as times from account_events where pass_id is not null group by 1, 2) group by 1, 2 order by 1`,
    `select pass_count as n from templates where id = '${templateId}'`,
    'select finished_at as at from processes order by id',
  );
  expect(versions!.map((row) => ({ ...row }))).toEqual([{ version: 2, value: 1, passes: PASSES, names: PASSES }]);
  expect(events!.map((row) => ({ ...row }))).toEqual([
    { type: 'pass_created', times: 1, passes: PASSES },
    { type: 'pass_updated', times: 1, passes: PASSES },
  ]);
  expect(counts![0]!.n).toBe(PASSES);
  return [creation, change].map(({ killedAt }, i) => ({ killedAt, endedAt: Number(ends![i]!.at) }));
}
