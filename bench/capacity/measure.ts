import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runAdminCommand } from '../../scripts/admin-client.ts';
import { callerOf, ended } from '../caller.ts';
import { JobLog } from '../job-log.ts';
import { monthlyCost } from '../monthly-cost.ts';
import { type Results, result } from '../results.ts';
import type { BenchOptions } from '../run-options.ts';
import { type BuiltWorker, buildWorker, migrate, type RunningWorkers, startWorkers } from '../workers.ts';
import { added, type StoredBytes, storedBytes } from './stored-bytes.ts';

/*
 * Measures how many passes a database holds, and what a million of them cost. The service creates passes, changes them,
 * and registers devices and scans; in between, each table's bytes are read from the database file.
 */

/** Passes in each of the three databases, capped by `--rows`. */
const SIZES = [2_000, 10_000, 50_000];
/** Maximum number of changed passes: the cost of a change doesn't depend on how many there are. */
const CHANGED_PASSES_MAX = 5_000;
/** Number of passes that are on a device, and that are scanned. */
const SOME = 1_000;
/** Passes of one bulk operation, at most 10,000. */
const BULK_PASSES = 10_000;
const AT_A_TIME = 8;
const PASS_TYPE_ID = 'pass.com.example.bench';

/** A D1 database holds 10 GB (D1, Limits). Once four fifths are used, new accounts go elsewhere. */
const DATABASE_BYTES = 10e9 * 0.8;
/** Changes of a pass per month. They share one row of the timeline, so each pass is changed as often here. */
const CHANGES_A_MONTH = 10;
/**
 * Months that events and timeline entries are kept: 32 days, and 90 to 120 days (docs/operations.md, "What is kept for
 * how long").
 */
const MONTHS_KEPT = { account_events: 32 / 30, pass_facts: 105 / 30 };

/** Goals for one database. */
const GOAL_PASS_BYTES = 1_300;
const GOAL_EVENT_BYTES = 250;
const GOAL_PASSES = 4_000_000;

const TEMPLATE = {
  name: 'Membership',
  description: 'Membership card',
  organizationName: 'Northwind Climbing Hall',
  type: 'generic',
  fields: { primaryFields: [{ key: 'member', label: 'Member', value: '{firstName} {lastName}' }] },
  additionalProperties: ['firstName', 'lastName', 'level', 'hall', 'locker', 'points'].map((name) => ({
    name,
    type: name === 'points' ? 'number' : 'text',
  })),
};

const FIRST_NAMES = ['Adaline', 'Bertram', 'Cosima', 'Dietlinde', 'Eleonora', 'Frederik', 'Gwendolyn', 'Hannelore'];
const LAST_NAMES = ['Brightwater', 'Castellano', 'Drinkwater', 'Edelstein', 'Fairweather', 'Goldsmith', 'Hollander'];

const nameOf = (n: number) => `member-${String(n).padStart(9, '0')}`;

const passOf = (n: number) => ({
  userProvidedId: nameOf(n),
  firstName: FIRST_NAMES[n % FIRST_NAMES.length],
  lastName: LAST_NAMES[n % LAST_NAMES.length],
  level: ['Basic', 'Silver', 'Gold'][n % 3],
  hall: ['North', 'South'][n % 2],
  locker: `L-${n % 500}`,
  points: n % 1_000,
});

/** Cost of one object: bytes by table, and rows that D1 writes. */
interface Taken {
  bytes: StoredBytes;
  total: number;
  rowsWritten?: number;
}

/** Measurements of one filled database. */
interface Filled {
  pass: Taken;
  change: Taken;
  scan: Taken;
  device: Taken;
}

/** Fills a database at three sizes, and compares the largest with the goals. */
export async function measureCapacity({ folder, rows, say }: BenchOptions): Promise<Results> {
  const ours = await buildWorker(join(folder, 'capacity-ours'));
  let filled: Filled | undefined;
  for (const passes of SIZES.filter((size) => size <= Math.max(rows, SIZES[0]!))) {
    say(`Filling a database with ${passes.toLocaleString('en')} passes …`);
    const stateDir = join(folder, `capacity-${passes}`);
    mkdirSync(stateDir);
    filled = await fill(ours, stateDir, passes);
    say(tableOf(filled));
  }
  const { pass, change } = filled!;
  const passBytes = pass.total + CHANGES_A_MONTH * keptBytes(change);
  const cost = costOf(filled!);
  say(
    `A million passes with ${CHANGES_A_MONTH} changes each, in bulk, without notifications: $${Math.round(cost)} a month`,
  );
  return {
    capacity_pass: result(pass.total - (pass.bytes.account_events ?? 0), GOAL_PASS_BYTES, 'bytes'),
    capacity_event: result(change.bytes.account_events ?? 0, GOAL_EVENT_BYTES, 'bytes'),
    capacity_passes: result(DATABASE_BYTES / passBytes, GOAL_PASSES, 'passes a database'),
  };
}

/** Returns a change's bytes, each times the months for which it is kept. */
function keptBytes({ bytes }: Taken): number {
  return Object.entries(bytes).reduce(
    (sum, [name, own]) => sum + own * (MONTHS_KEPT[name as keyof typeof MONTHS_KEPT] ?? 0),
    0,
  );
}

function costOf({ pass, change }: Filled): number {
  const million = 1_000_000;
  const changes = million * CHANGES_A_MONTH;
  return monthlyCost({
    requests: 0,
    cpuMillis: changes,
    rowsRead: 0,
    rowsWritten: changes * change.rowsWritten!,
    queueOperations: (changes / 100) * 3,
    filesWritten: 0,
    storedKilobytes: (million * pass.total + changes * keptBytes(change)) / 1_000,
  }).total;
}

async function fill(ours: BuiltWorker, stateDir: string, passes: number): Promise<Filled> {
  const adminToken = randomBytes(32).toString('hex');
  // With a token, as on a local service, its dev inbox would store everything it sends.
  let variables: Record<string, string> = { ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  const log = new JobLog();
  /** Runs a stage of the service, and returns the database's size afterwards. */
  const stage = async <T>(work: (workers: RunningWorkers<'ours'>) => Promise<T>): Promise<[T, StoredBytes, number]> => {
    const workers = await startWorkers({ ours: { ...ours, variables, consumes: true } }, stateDir, log.take);
    log.clear();
    let done: T;
    try {
      done = await work(workers);
      await log.settle();
    } finally {
      await workers.stop();
    }
    return [done, storedBytes(stateDir), log.sum().rowsWritten];
  };
  const deployed = variables;
  variables = { ...deployed, ADMIN_TOKEN: adminToken };
  const [service, empty] = await stage(async ({ database, origins }) => {
    await migrate(database);
    const address = { origin: origins.ours, adminToken };
    const { apiKey } = await runAdminCommand<{ apiKey: string }>(address, 'account create', { name: 'Bench' });
    const call = callerOf(origins.ours, apiKey);
    const { data } = await call('POST', '/api/v2/pass-template', TEMPLATE);
    const scanner = await call('POST', '/api/appconfiguration', { name: 'Door', scanMode: 0 });
    return {
      apiKey,
      templateId: data.identifier as string,
      scanner: scanner.configuration[0].configurationId as string,
    };
  });
  variables = deployed;
  const [, created, createRows] = await stage(async ({ origins }) => {
    const call = callerOf(origins.ours, service.apiKey);
    for (let from = 0; from < passes; from += BULK_PASSES) {
      const batch = Array.from({ length: Math.min(BULK_PASSES, passes - from) }, (_, i) => passOf(from + i));
      await ended(call, call('POST', '/api/v3/pass/bulk/create', { templateId: service.templateId, passes: batch }));
    }
  });
  const [, changed, changeRows] = await stage(async ({ origins }) => {
    const call = callerOf(origins.ours, service.apiKey);
    const first = { field: 'userProvidedId', operator: 'lowerThan', value: nameOf(CHANGED_PASSES_MAX) };
    for (let i = 0; i < CHANGES_A_MONTH; i++) {
      const filter = { query: { templateId: service.templateId, groups: [[first]] } };
      await ended(call, call('PATCH', '/api/v3/pass/bulk', { data: { level: `Level ${i}` }, filter }));
    }
  });
  const [, scanned] = await stage(async ({ origins, database }) => {
    const { results } = await database
      .prepare('select barcode_value as code from passes order by key limit ?')
      .bind(SOME)
      .all<{ code: string }>();
    const call = callerOf(origins.ours, service.apiKey);
    const codes = results.values();
    const scanAll = async () => {
      for (const { code } of codes) {
        await call('POST', '/api/appscan', { appConfigurationId: service.scanner, scannedBarcodeValue: code });
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, scanAll));
  });
  // Must follow the scans, which would push to these devices.
  const [, registered] = await stage(({ database }) => registerDevices(database));
  return {
    pass: each(empty, created, passes, createRows),
    change: each(created, changed, Math.min(passes, CHANGED_PASSES_MAX) * CHANGES_A_MONTH, changeRows),
    scan: each(changed, scanned, SOME),
    device: each(scanned, registered, SOME),
  };
}

function each(before: StoredBytes, after: StoredBytes, count: number, rowsWritten?: number): Taken {
  const { bytes, total } = added(before, after);
  return {
    bytes: Object.fromEntries(Object.entries(bytes).map(([name, own]) => [name, own / count])),
    total: total / count,
    rowsWritten: rowsWritten === undefined ? undefined : rowsWritten / count,
  };
}

/** Writes the rows of a device registration, for some of the passes. */
async function registerDevices(database: D1Database): Promise<void> {
  const some = `(select id from passes order by key limit ${SOME})`;
  await database.batch([
    database
      .prepare(
        `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
         select printf('%032x', key * 2654435761), ?, id, account_id, printf('%064x', key * 2654435761), created_at, null
         from passes where id in ${some}`,
      )
      .bind(PASS_TYPE_ID),
    database.prepare(`update passes set number_of_active = 1 where id in ${some}`),
  ]);
}

/** Formats the bytes of each object by table, as lines. */
function tableOf(filled: Filled): string {
  return Object.entries(filled)
    .map(([what, { bytes, total, rowsWritten }]: [string, Taken]) => {
      const parts = Object.entries(bytes)
        .filter(([, own]) => own >= 1)
        .map(([name, own]) => `${name} ${Math.round(own)}`);
      const rows = rowsWritten === undefined ? '' : `, ${rowsWritten.toFixed(1)} rows written`;
      return `  a ${what}: ${Math.round(total)} bytes${rows} (${parts.join(', ')})`;
    })
    .join('\n');
}
