import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { monthlyCost, type Usage } from '../../bench/monthly-cost.ts';
import { ROWS } from '../../bench/simulation/costs.ts';
import { PHONE_REQUESTS_PER_POINT } from '../../src/domain/metrics/record-metric.ts';
import { type Client, type CreatedPass, freshAccount } from '../support/api.ts';
import { allLogged, costOf, d1, eventually } from '../support/control.ts';
import type { LogLine } from '../support/log-book.ts';
import { openOutsideServer } from '../support/outside-server.ts';
import { ended } from '../support/processes.ts';
import { allPushed, relayedAccount } from '../support/pushes.ts';
import { deliveriesWhen, subscribed } from '../support/webhooks.ts';
import { Device } from '../wallets/apple/web-service/device.ts';

/*
 * Computes what ten updates of a million passes cost per month, from the reads and writes measured here. The table in
 * docs/operations.md#cost has these numbers.
 */

const UPDATES = 10_000_000;
/** Pushes through the relay add a row with an index entry to the local outbox; a deployed service has none. */
const OUTBOX_ROWS = 2;
/** The timeline records a device's requests and downloads after the reply, outside a request's own figures. */
const DOWNLOAD_ROWS = 1;
/** Of an update: event and delivery, kept for 30 days; of a pass: all its rows. Both measured in files. */
const BYTES_OF_UPDATE = 898;
const BYTES_OF_PASS = 1_510;
/** Four facts per update, kept for three to four months. */
const BYTES_OF_FACTS = 110 * 3.5;

/** Creates passes on one device each, in an account with a webhook for updates. */
async function scene(passes: number) {
  const { client, passTypeId } = await relayedAccount(() => ({ outcome: 'sent' }));
  const templateId = await client.createTemplate();
  const receiver = await openOutsideServer();
  const hook = await subscribed(client, `${receiver.origin}/hook`, { event: 'pass_updated' });
  const held: { pass: CreatedPass; device: Device }[] = [];
  for (let i = 0; i < passes; i++) {
    const pass = await client.createPass(templateId);
    const device = new Device(passTypeId);
    expect((await device.register(pass)).status).toBe(201);
    held.push({ pass, device });
  }
  /** Waits until this many updates are pushed and delivered and no job is running, and returns all jobs' log lines. */
  const linesAfter = async (updates: number): Promise<LogLine[]> => {
    await allPushed(client);
    await receiver.received(updates);
    await deliveriesWhen(client, hook.identifier, (all) => all.every(({ state }) => state === 'delivered'));
    return eventually(async () => {
      const lines = await jobLines(client);
      const attempts = lines.map((line) => (line.attempts as number | undefined) ?? 0);
      return attempts.reduce((a, b) => a + b, 0) >= updates + earlier && lines;
    });
  };
  const earlier = (await allLogged({ event: 'webhooks' })).reduce((n, line) => n + (line.attempts as number), 0);
  return { client, held, linesAfter };
}

async function jobLines({ accountId }: Client): Promise<LogLine[]> {
  const jobs = await allLogged({ event: 'job', account: accountId, status: 'done' });
  return [...jobs, ...(await allLogged({ event: 'webhooks' }))];
}

/** A request whose data point shows that all earlier ones are written. */
const LAST_REQUEST = '/api/v3/project';
/** Requests of the test itself. */
const OWN_REQUESTS = [LAST_REQUEST, '/api/hook/:subscription/deliveries'];

/** Returns the names of the data points of the account, and of devices' lists, which have no account. */
async function dataPoints({ accountId, get }: Client): Promise<string[]> {
  const names = async () => {
    const rows = await d1<{ name: string }>(
      "select blobs ->> 1 as name from metric_points where blobs ->> 4 = ? or blobs ->> 1 like '%/devices/%' order by key",
      [accountId],
    );
    return rows.map(({ name }) => name);
  };
  const markers = (list: string[]) => list.filter((name) => name === LAST_REQUEST).length;
  const known = markers(await names());
  await get(LAST_REQUEST);
  const all = await eventually(async () => {
    const list = await names();
    return markers(list) > known && list;
  });
  return all.filter((name) => !OWN_REQUESTS.includes(name));
}

interface Rows {
  rowsRead: number;
  rowsWritten: number;
}

function sum(lines: Rows[]): Rows {
  return {
    rowsRead: lines.reduce((total, line) => total + line.rowsRead, 0),
    rowsWritten: lines.reduce((total, line) => total + line.rowsWritten, 0),
  };
}

/**
 * Runs `work`, which makes two updates and gets the number of earlier ones, until both are in one window for which a
 * webhook's row is written once (`delivery-counts.ts`).
 */
async function inOneWindow<Result>(work: (updates: number) => Promise<Result>): Promise<Result> {
  const window = () => Math.floor(Date.now() / 1_048_576);
  for (let updates = 0; ; updates += 2) {
    const began = window();
    const result = await work(updates);
    if (window() === began) return result;
  }
}

/** Returns the new rows in `after`. */
const since = (before: LogLine[], after: LogLine[]) => {
  const known = new Set(before.map(({ requestId }) => requestId));
  const fresh = after.filter(({ requestId }) => !known.has(requestId));
  return fresh.map(
    ({ rowsRead, rowsWritten }): Rows => ({
      rowsRead: Number(rowsRead),
      rowsWritten: Number(rowsWritten),
    }),
  );
};

const STORED = {
  storedKilobytes: (UPDATES * (BYTES_OF_UPDATE + BYTES_OF_FACTS) + (UPDATES / 10) * BYTES_OF_PASS) / 1_000,
  // No file is stored for a single device.
  filesWritten: 0,
};

/** Returns the numbers of the row in the docs' table that begins with `name`. */
function documented(name: string): number[] {
  const docs = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const line = docs.split('\n').find((row) => row.startsWith(`| ${name} |`)) ?? '';
  return line
    .split('|')
    .slice(2, -1)
    .map((cell) => Number(cell.replace(/[^0-9.]/g, '')));
}

/** An event and a delivery, and the month of a timeline that holds ten updates. */
const DELETED_ROWS = 2.1;
/** A device sends two requests. */
const POINTS_OF_DEVICE = 2 / PHONE_REQUESTS_PER_POINT;
/** Price of Analytics Engine, November 2026. */
const POINTS = { included: 10_000_000, perMillion: 0.25 };

/** Returns the cells of a row in the docs' table. `points` is the number of data points per update. */
function shown(usage: Usage, { rowsWritten }: Rows, points: number): number[] {
  const { parts, total } = monthlyCost(usage);
  const withDeletion = monthlyCost({ ...usage, rowsWritten: usage.rowsWritten + UPDATES * DELETED_ROWS });
  const deletion = withDeletion.total - total;
  const metrics = (Math.max(0, UPDATES * points - POINTS.included) / 1_000_000) * POINTS.perMillion;
  const work = [parts.rowsWritten, parts.queueOperations, parts.requests + parts.cpuMillis, parts.storedKilobytes];
  return [rowsWritten, ...[...work, deletion, metrics, withDeletion.total + metrics].map(Math.round)];
}

test('an update of one pass, its push, its webhook and its download write 14 rows', async () => {
  const { client, held, linesAfter } = await scene(1);
  const [{ pass, device }] = held as [(typeof held)[number]];
  const patch = (storedValue: number) => client.patch(`/api/v3/pass/${pass.identifier}`, { data: { storedValue } });
  // The first one creates the hour's counter row, and writes the row of the webhook.
  const { pointsBefore, change, jobs } = await inOneWindow(async (updates) => {
    await patch(updates + 1);
    const before = await linesAfter(updates + 1);
    const pointsBefore = (await dataPoints(client)).length;
    const change = await costOf(await patch(updates + 2));
    return { pointsBefore, change, jobs: since(before, await linesAfter(updates + 2)) };
  });
  const asked = [await costOf(await device.list()), await costOf(await device.fetch(pass))];
  const rows = sum([change, ...jobs, ...asked, { rowsRead: 0, rowsWritten: DOWNLOAD_ROWS - OUTBOX_ROWS }]);
  // One message and one run for both push and delivery.
  expect(jobs).toHaveLength(1);
  const usage: Usage = {
    // The call, the consumer, and two requests from the device.
    requests: UPDATES * 4,
    cpuMillis: UPDATES * 20,
    // The message is written, read and deleted.
    queueOperations: UPDATES * 3,
    rowsRead: UPDATES * rows.rowsRead,
    rowsWritten: UPDATES * rows.rowsWritten,
    ...STORED,
  };
  const points = (await dataPoints(client)).slice(pointsBefore);
  const ofDevice = points.filter((name) => name.startsWith('/wallet/apple/'));
  expect(ofDevice).toHaveLength(2);
  expect(points.filter((name) => !ofDevice.includes(name)).sort()).toEqual(['/api/v3/pass/:id', 'deliver-webhooks']);
  expect(shown(usage, rows, 2 + POINTS_OF_DEVICE)).toEqual(documented('one by one'));
  expect(rows.rowsWritten).toBe(ROWS.told.written);
  expect(rows.rowsRead).toBeLessThanOrEqual(ROWS.told.read);
});

test('an update of a pass without a device and a webhook writes 5 rows', async () => {
  const client = await freshAccount();
  const { identifier } = await client.createPass(await client.createTemplate());
  const patch = (storedValue: number) => client.patch(`/api/v3/pass/${identifier}`, { data: { storedValue } });
  // The first one creates the hour's counter row and the timeline row.
  await patch(1);
  const { rowsRead, rowsWritten } = await costOf(await patch(2));
  expect(rowsWritten).toBe(ROWS.quiet.written);
  expect(rowsRead).toBeLessThanOrEqual(ROWS.quiet.read);
});

test('a bulk update writes 15 rows per pass', async () => {
  const PASSES = 50;
  const { client, held, linesAfter } = await scene(PASSES);
  const identifiers = held.map(({ pass }) => pass.identifier);
  const update = async (storedValue: number) =>
    ended(client, await client.patch('/api/v3/pass/bulk', { data: { storedValue }, filter: { identifiers } }));
  await update(1);
  const before = await linesAfter(PASSES);
  await update(2);
  const jobs = since(before, await linesAfter(2 * PASSES));
  const all = sum(jobs);
  const rows = {
    // The device's own reads; see the test above.
    rowsRead: all.rowsRead / PASSES + 12,
    rowsWritten: Math.round(all.rowsWritten / PASSES) + DOWNLOAD_ROWS - OUTBOX_ROWS,
  };
  const usage: Usage = {
    // The devices' requests; one message and its consumer cover fifty to a hundred passes.
    requests: UPDATES * 2,
    cpuMillis: UPDATES * 10,
    queueOperations: (UPDATES / PASSES) * 3 * 3,
    rowsRead: UPDATES * rows.rowsRead,
    rowsWritten: UPDATES * rows.rowsWritten,
    ...STORED,
  };
  expect(shown(usage, rows, POINTS_OF_DEVICE)).toEqual(documented('in bulk'));
});
