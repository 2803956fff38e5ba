import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, type Reply } from '../../support/api.ts';
import { allLogged, type Cost, costOf, eventually, runScheduled } from '../../support/control.ts';
import { type PullRows, pullRows } from '../../support/payloads.ts';

/* The D1 cost of the pull endpoints with a history, a backlog and other accounts. */

const PATH = '/api/v3/webhook-payload';
const HISTORY = 10_000;
const BACKLOG = 10_000;

let client: Client;
let rows: PullRows;
let ids: string[];
beforeAll(async () => {
  const neighbour = await freshAccount();
  await pullRows(neighbour).store(BACKLOG);
  client = await freshAccount();
  rows = pullRows(client);
  await rows.store(HISTORY, { ageMillis: 60_000, acknowledgedMillisAgo: 30_000 });
  ids = await rows.store(BACKLOG, { ageMillis: 60_000 });
  await pullRows(neighbour).store(BACKLOG);
});

async function costOfPage(query: string, size: number): Promise<Cost> {
  const reply: Reply = await client.get(`${PATH}?${query}`);
  expect(reply.body.data).toHaveLength(size);
  return costOf(reply);
}

describe('a page takes two round trips and three rows per payload, whatever else is stored', () => {
  test.each([1, 100, 500])('of %i', async (limit) => {
    const cost = await costOfPage(`limit=${limit}`, limit);
    expect(cost.roundTrips).toBeLessThanOrEqual(2);
    expect(cost.rowsRead).toBeLessThanOrEqual(3 * limit + 8);
    expect(cost.rowsWritten).toBe(0);
  });

  test('of one subscription', async () => {
    const cost = await costOfPage(`limit=10&webhookId=${rows.webhookId}`, 10);
    expect(cost.rowsRead).toBeLessThanOrEqual(3 * 10 + 8);
  });

  test('of an unknown subscription', async () => {
    const cost = await costOfPage(`webhookId=${crypto.randomUUID()}`, 0);
    expect(cost.rowsRead).toBeLessThanOrEqual(8);
  });

  test('of the newest, by since', async () => {
    const now = Date.now();
    const newest = await rows.store(10);
    const cost = await costOfPage(`since=${new Date(now - 10_000).toISOString()}`, 10);
    expect(cost.rowsRead).toBeLessThanOrEqual(6 * 10 + 8);
    expect(newest).toHaveLength(10);
  });
});

test('acknowledging a page reads and writes rows in proportion to its payloads', async () => {
  const reply = await client.post(`${PATH}/acknowledge`, { upTo: ids[99] });
  expect(reply.body.data).toEqual({ acknowledged: 100 });
  const cost = await costOf(reply);
  expect(cost.roundTrips).toBeLessThanOrEqual(2);
  expect(cost.rowsRead).toBeLessThanOrEqual(10 * 100 + 20);
  expect(cost.rowsWritten).toBeLessThanOrEqual(5 * 100 + 5);
  const again = await costOf(await client.post(`${PATH}/acknowledge`, { upTo: ids[99] }));
  expect(again.rowsRead).toBeLessThanOrEqual(20);
  expect(again.rowsWritten).toBe(0);
});

test('the cron reads a handful of rows if there is nothing to delete', async () => {
  const logged = () => allLogged({ event: 'task', task: 'purge-webhook-payloads', rowsWritten: 0 });
  // Runs for other test files read what those left.
  const earlier = (await logged()).length;
  // Another test file may have left rows for the first run to delete.
  const idle = await eventually(async () => {
    await runScheduled();
    const lines = (await logged()).slice(earlier);
    return lines.length > 0 && lines;
  });
  for (const line of idle) {
    expect(line.status).toBe('done');
    expect(line.rowsRead).toBeLessThanOrEqual(10);
  }
});
