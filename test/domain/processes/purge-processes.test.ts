import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  deleteProcesses,
  PROCESS_RETENTION_DAYS,
  purgeProcesses,
} from '../../../src/domain/processes/delete-processes.ts';
import { processes } from '../../../src/domain/processes/table.ts';
import type { Env } from '../../../src/platform/env.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

const DAY_MS = 24 * 3_600_000;
const NOW = Date.UTC(2030, 0, 1);
const OLD = NOW - (PROCESS_RETENTION_DAYS + 1) * DAY_MS;

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
beforeEach(async () => {
  await database.look.delete(processes);
});
afterAll(() => database.close());

/** Inserts rows of processes by identifier; null means still running. */
async function insert(ends: Record<string, number | null>): Promise<void> {
  const row = {
    accountId: 'account',
    kind: 'create',
    total: 1,
    current: 1,
    failed: 0,
    createdAt: 1,
    mirroredAt: 1,
  } as const;
  for (const [id, finishedAt] of Object.entries(ends))
    await database.look.insert(processes).values({ ...row, id, finishedAt });
}

const left = async () => (await database.look.select().from(processes)).map(({ id }) => id).sort();

/** Returns a context whose objects answer with `expire`. */
function withObjects(expire: (id: string, before: number) => boolean) {
  const objects = {
    idFromName: (id: string) => id,
    get: (id: string) => ({ expire: async (at: number) => expire(id, at) }),
  };
  const context = database.context();
  return { ...context, env: { ...context.env, PROCESSES: objects } as unknown as Env };
}

test('processes are deleted by the time of their end, objects first', async () => {
  await insert({ old: OLD, young: NOW - (PROCESS_RETENTION_DAYS - 1) * DAY_MS, running: null });
  const asked: unknown[] = [];
  await purgeProcesses(
    withObjects((...call) => asked.push(call) > 0),
    NOW,
  );
  expect(asked).toEqual([['old', NOW - PROCESS_RETENTION_DAYS * DAY_MS]]);
  expect(await left()).toEqual(['running', 'young']);
});

test('one whose object fails, or has not ended, stays and delays no other', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  await insert({ broken: OLD - 2, retried: OLD - 1, old: OLD });
  const ctx = withObjects((id) => {
    if (id === 'broken') throw new Error('the object is overloaded');
    return id === 'old';
  });
  await purgeProcesses(ctx, NOW);
  expect(await left()).toEqual(['broken', 'retried']);
  expect(log).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('"step":"expire"'));
  log.mockRestore();
});

test('a run handles a hundred, and reads no others', async () => {
  const ids = Array.from({ length: 150 }, (_, i) => `${i}`.padStart(3, '0'));
  await insert(Object.fromEntries(ids.map((id, i) => [id, OLD - 1_000 + i])));
  await purgeProcesses(
    withObjects(() => true),
    NOW,
  );
  expect(await left()).toEqual(ids.slice(100));
  const quiet = withObjects(() => true);
  await purgeProcesses(quiet, OLD);
  expect(quiet.meter).toMatchObject({ rowsRead: 1, rowsWritten: 0, roundTrips: 1 });
});

test('an account’s processes stay until their objects are deleted', async () => {
  await insert({ first: null, second: OLD });
  const { env, ...context } = database.context();
  const withDestroy = (destroy: () => Promise<void>) => {
    const objects = { idFromName: (id: string) => id, get: () => ({ destroy }) };
    // The product uses nothing else of the binding.
    return { ...context, env: { ...env, PROCESSES: objects } as unknown as Env };
  };
  const broken = withDestroy(() => Promise.reject(new Error('the object is overloaded')));
  await expect(deleteProcesses(broken, 'account')).rejects.toThrow('overloaded');
  expect(await left()).toEqual(['first', 'second']);
  const working = withDestroy(async () => {});
  expect([await deleteProcesses(working, 'account'), await left()]).toEqual([2, []]);
});
