import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AccountContext, Context } from '../src/domain/context.ts';
import { openForAccounts } from '../src/domain/databases/open-database.ts';
import { purgeEvents } from '../src/domain/events/purge-events.ts';
import { purgeFacts } from '../src/domain/pass-facts/purge-facts.ts';
import { createPass } from '../src/domain/passes/create-pass.ts';
import { purgeDeliveries } from '../src/domain/webhooks/purge-deliveries.ts';
import { runTick } from '../src/jobs/cron.ts';
import type { Env } from '../src/platform/env.ts';
import { type LocalDatabase, openLocalDatabase } from './domain/local-database.ts';
import { makeTemplate } from './domain/search/crowd.ts';
import { jobQueues, queueTo } from './support/fake-queue.ts';
import { memoryBucket } from './support/memory-bucket.ts';

/*
 * The cost of a minute of the cron in a database with nothing due. The simulation in docs/performance.md uses these
 * figures for a thousand databases, each running the cron every minute.
 */

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const MINUTES = [0, 1, 7];
const ACCOUNTS = 10;
const PASSES = 10;
/** Rows read in an empty database, plus some per account: each account's first event is checked twice. */
const ROWS = 190;
const ROWS_OF_ACCOUNT = 8;
const ROUND_TRIPS = 60;

let directory: LocalDatabase;
let database: LocalDatabase;
let env: Env;
beforeAll(async () => {
  [directory, database] = [await openLocalDatabase(), await openLocalDatabase()];
  const context = directory.context();
  const bindings = { DB_1: database.d1, FILES: memoryBucket(), ...jobQueues(), WEBHOOKS: queueTo(), TICKS: queueTo() };
  env = { ...context.env, ...bindings } as unknown as Env;
  await openForAccounts({ ...context, env }, 'DB_1', async () => {});
});
afterAll(async () => {
  vi.useRealTimers();
  await directory.close();
  await database.close();
});

interface Cost {
  d1RoundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** Measures some minutes of an hour, after one that handles everything due: events are due some seconds later. */
async function minutes(): Promise<Cost[]> {
  const hour = Math.ceil((Date.now() + MINUTE_MS) / HOUR_MS) * HOUR_MS;
  await minute(hour);
  const costs: Cost[] = [];
  for (const at of MINUTES) costs.push(await minute(hour + HOUR_MS + at * MINUTE_MS));
  vi.useRealTimers();
  return costs;
}

async function minute(now: number): Promise<Cost> {
  vi.useFakeTimers({ toFake: ['Date'], now });
  const tasks: (Cost & { status: string })[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => {
    const line = JSON.parse(text);
    if (line.event === 'task') tasks.push(line);
  });
  const after: Promise<unknown>[] = [];
  const execution = { waitUntil: (work: Promise<unknown>) => void after.push(work) } as ExecutionContext;
  await runTick(env, execution, { type: 'tick', database: 'DB_1' });
  await Promise.all(after);
  log.mockRestore();
  expect(tasks.filter(({ status }) => status !== 'done')).toEqual([]);
  expect(tasks.length).toBeGreaterThan(40);
  const sum = (name: keyof Cost) => tasks.reduce((all, task) => all + task[name], 0);
  return { d1RoundTrips: sum('d1RoundTrips'), rowsRead: sum('rowsRead'), rowsWritten: sum('rowsWritten') };
}

const most = (costs: Cost[]) => Math.max(...costs.map(({ rowsRead }) => rowsRead));

test('an idle minute of the cron writes one row and reads few, by the number of accounts, not of passes', async () => {
  const empty = await minutes();
  expect(most(empty)).toBeLessThanOrEqual(ROWS);
  const templates: [AccountContext, string][] = [];
  for (let i = 0; i < ACCOUNTS; i++) {
    const account = { ...(await database.accountContext()), env };
    templates.push([account, await makeTemplate(account)]);
  }
  const addPasses = async (passes: number) => {
    for (const [account, templateId] of templates) {
      for (let i = 0; i < passes; i++) await createPass(account, templateId, {}, { wait: false });
    }
  };
  await addPasses(2);
  const few = await minutes();
  await addPasses(PASSES);
  const many = await minutes();
  expect(most(few)).toBeLessThanOrEqual(ROWS + ACCOUNTS * ROWS_OF_ACCOUNT);
  expect(most(many)).toBeLessThanOrEqual(most(few));
  expect(Math.max(...[...empty, ...many].map(({ d1RoundTrips }) => d1RoundTrips))).toBeLessThanOrEqual(ROUND_TRIPS);
  // The measurements are stored in the directory.
  expect([...empty, ...few, ...many].map(({ rowsWritten }) => rowsWritten)).toEqual(Array(9).fill(1));
});

/** Returns the rows that tasks write per inserted row; `insert` numbers the rows from 1. */
async function deletes(insert: string, task: (ctx: Context) => Promise<void>): Promise<number> {
  const ctx = database.context();
  const numbers = 'with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 100)';
  const { meta } = await database.d1.prepare(`${insert.replace(' select ', ` ${numbers} select `)} from numbers`).run();
  expect(meta.changes).toBe(100);
  await task(ctx);
  return ctx.meter.rowsWritten / 100;
}

test('an event, a delivery and a row of facts are deleted with one row written each, whatever indexes they are in', async () => {
  const { id } = (await database.accountContext()).account;
  const events = 'insert into account_events (id, account_id, type, body, created_at, pass, has_values)';
  const event = `select printf('0-%d', n), '${id}', 'pass_updated', '[]', 1, zeroblob(16)`;
  expect(await deletes(`${events} ${event}, null`, (ctx) => purgeEvents(ctx))).toBe(1);
  expect(await deletes(`${events} ${event}, 1`, (ctx) => purgeEvents(ctx))).toBe(1);
  const deliveries =
    'insert into event_deliveries (subscription_id, event_id, state, attempts, attempt_count, created_at)';
  expect(
    await deletes(`${deliveries} select 'one', printf('0-%d', n), 'delivered', '[]', 1, 1`, (ctx) =>
      purgeDeliveries(ctx),
    ),
  ).toBe(1);
  // One row for all changes of a month.
  const facts = 'insert into pass_facts (pass_key, began_at, facts) select n + 1000000, 1, 1';
  expect(await deletes(facts, (ctx) => purgeFacts(ctx))).toBe(1);
});
