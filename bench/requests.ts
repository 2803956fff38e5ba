import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkFloor, checkScanned, checkStored } from './check-floor.ts';
import { ruledCreates } from './growth.ts';
import { IDEAL_REQUESTS, idealRequests } from './ideal.ts';
import { type Call, load, type Round } from './load.ts';
import { pin, processorMillis, residentMiB } from './processors.ts';
import { type RequestName, recordRequests } from './record-requests.ts';
import { type Result, type Results, result } from './results.ts';
import { alternate, latency, medianRate, quantile, type Runner, rateRatio } from './rounds.ts';
import type { BenchOptions } from './run-options.ts';
import { crowdCode, crowdId, type Seed, seed } from './seed.ts';
import { passFields, TEMPLATE } from './template.ts';
import { type BuiltWorker, buildWorker, migrate, type RunningWorkers, startWorkers } from './workers.ts';

/** Largest page size, and the page number for measuring deep pages. */
const PAGE_SIZE = 100;
const DEEP_PAGE = 10_000;
/** Number of different passes read, far apart in the table. */
const READ_PASSES = 1_000;
/** Duration of each call before memory is measured. */
const MEMORY_SECONDS = 0.5;

/** Base of links in replies; nothing calls them. */
const BASE_URL = 'https://passes.example.com';

/** Measures the API against the floor. */
export async function measureRequests(options: BenchOptions): Promise<Results> {
  const { folder, rows, say } = options;
  const stateDir = stateDirOf(folder);
  mkdirSync(stateDir);
  const [ours, floor, recorder] = await Promise.all([
    buildWorker(join(folder, 'ours')),
    buildWorker(join(folder, 'floor'), 'bench/floor/index.ts'),
    buildWorker(join(folder, 'recorder'), 'bench/recording-worker.ts', { hasObjects: true }),
  ]);
  const adminToken = randomBytes(32).toString('hex');
  const variables = { BASE_URL, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  ours.variables = { ...variables, ADMIN_TOKEN: adminToken };

  say(`Seeding ${rows.toLocaleString('en')} passes …`);
  const seeding = await startWorkers({ ours: { ...ours, consumes: true } }, stateDir);
  let facts: Seed;
  try {
    await migrate(seeding.database);
    facts = await seed(seeding.origins.ours, adminToken, seeding.database, rows, say);
  } finally {
    await seeding.stop();
  }

  // Without ADMIN_TOKEN, like a deployment: a local service's dev inbox would store everything it sends.
  ours.variables = variables;
  recorder.variables = variables;
  const calls = callsOf(facts, rows);
  const learned = await floorVariables(recorder, options, calls, facts);
  const ideal = { ...floor, variables: { ...variables, ...learned.ideal } };
  floor.variables = { ...variables, ...learned.floor };
  const results = await withWorkers({ ours, floor, ideal }, options, async (workers) => {
    await check(workers, calls, facts);
    const grown = { ours: workers.origins.ours, pid: workers.pid };
    return { ...(await compareAll(workers, calls, options)), ...(await compareGrowth(grown, facts, options)) };
  });
  say('Measuring memory …');
  const memory = (worker: BuiltWorker) => withWorkers({ worker }, options, (workers) => memoryAfter(workers, calls));
  results.memory = result(await memory(ours), await memory(floor), 'MiB');
  return results;
}

/** Runs Workers on this run's state, each side on its own processor, and stops them afterwards. */
async function withWorkers<Name extends string, T>(
  built: Record<Name, BuiltWorker>,
  { folder, processors }: BenchOptions,
  work: (workers: RunningWorkers<Name>) => Promise<T>,
): Promise<T> {
  const workers = await startWorkers(built, stateDirOf(folder));
  try {
    pin(workers.pid, processors?.server);
    pin(process.pid, processors?.client);
    return await work(workers);
  } finally {
    await workers.stop();
  }
}

const stateDirOf = (folder: string) => join(folder, 'state');

/** Returns workerd's memory, including the database, after each kind of call, with a single Worker running. */
async function memoryAfter({ origins, pid }: RunningWorkers<'worker'>, calls: Record<RequestName, () => Call>) {
  for (const next of Object.values(calls)) await load(origins.worker, next, MEMORY_SECONDS);
  return residentMiB(pid);
}

/**
 * Derives the floor's variables from the product: its statements, and the values that differ between requests. The
 * ideal gets the same, with other statements.
 */
async function floorVariables(
  recorder: BuiltWorker,
  options: BenchOptions,
  calls: Record<RequestName, () => Call>,
  { apiKey, googleKeyPem, scanners }: Seed,
): Promise<Record<'floor' | 'ideal', Record<string, string>>> {
  const { recorded, ideal } = await withWorkers({ recorder }, options, async ({ origins, database }) => {
    const recorded = await recordRequests(origins.recorder, database, calls);
    const facts = { apiKey, templateName: TEMPLATE.name, readIds: readIds(options.rows) };
    return { recorded, ideal: await idealRequests(database, recorded, facts) };
  });
  const floor = {
    FLOOR_KEY_PEM: googleKeyPem,
    FLOOR_CLAIMS: JSON.stringify(recorded.claims),
    FLOOR_TEMPLATE_NAME: TEMPLATE.name,
    FLOOR_PASS: JSON.stringify(recorded.pass),
    FLOOR_REQUESTS: JSON.stringify(recorded.requests),
    FLOOR_VOIDING: scanners.voiding,
  };
  return { floor, ideal: { ...floor, FLOOR_REQUESTS: JSON.stringify(ideal) } };
}

/** Returns the identifiers of the passes to read. */
const readIds = (rows: number) =>
  Array.from({ length: READ_PASSES }, (_, i) => crowdId(1 + i * Math.floor(rows / READ_PASSES)));

/** Returns functions that create the measured calls. */
function callsOf({ apiKey, templateId, scanners }: Seed, rows: number): Record<RequestName, () => Call> {
  const headers = { Authorization: apiKey };
  let reads = 0;
  const ids = readIds(rows);
  const someId = () => ids[reads++ % READ_PASSES]!;
  let creates = 0;
  const create = (path: string) => () => ({
    method: 'POST' as const,
    path,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ data: { templateId, ...passFields(100_000_000 + creates++) } }),
  });
  const before = (DEEP_PAGE - 1) * PAGE_SIZE;
  const deep = new URLSearchParams({
    start: String(before),
    pageSize: String(PAGE_SIZE),
    lastIdOfPriorPage: crowdId(Math.min(before, rows - PAGE_SIZE)),
  });
  const list = `/api/pass/list/${templateId}`;
  return {
    read_v1: () => ({ path: `/api/pass/${someId()}`, headers }),
    read_v3: () => ({ path: `/api/v3/pass/${someId()}`, headers }),
    create_async: create('/api/v3/pass'),
    create_sync: create('/api/v3/pass?async=false'),
    list_page_1: () => ({ path: list, headers }),
    list_page_10000: () => ({ path: `${list}?${deep}`, headers }),
    scan_void: scansOf(apiKey, scanners.voiding, rows),
    scan_attendance: scansOf(apiKey, scanners.noting, rows),
  };
}

/** Returns scans at a scanner, each of another pass, newest first. */
function scansOf(apiKey: string, appConfigurationId: string, rows: number): () => Call {
  let scans = 0;
  return () => ({
    method: 'POST',
    path: '/api/appscan',
    headers: { Authorization: apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({ appConfigurationId, scannedBarcodeValue: crowdCode(rows - (scans++ % rows)) }),
  });
}

type Sides = RunningWorkers<'ours' | 'floor' | 'ideal'>;

async function check({ origins, database }: Sides, calls: Record<RequestName, () => Call>, facts: Seed): Promise<void> {
  const { ours, floor, ideal } = origins;
  for (const name of ['read_v1', 'read_v3', 'list_page_1', 'list_page_10000'] as const) {
    await checkFloor(ours, floor, calls[name]());
  }
  for (const name of ['create_async', 'create_sync'] as const) {
    await checkFloor(ours, floor, calls[name](), true);
    await checkStored(database, ours, floor, calls[name](), facts.templateId);
  }
  for (const name of IDEAL_REQUESTS) await checkFloor(ours, ideal, calls[name](), true);
  for (const name of ['scan_void', 'scan_attendance'] as const) {
    // Uses different passes, because a second scan of the same pass has another reason.
    await checkFloor(ours, floor, calls[name](), true, calls[name]());
    await checkScanned(database, ours, floor, calls[name]);
  }
}

async function compareAll(
  { origins, pid }: Sides,
  calls: Record<RequestName, () => Call>,
  { say, ...effort }: BenchOptions,
): Promise<Results> {
  const results: Results = {};
  const runner = (origin: string, name: RequestName) => runnerOf(origin, calls[name], pid);
  for (const name of Object.keys(calls) as RequestName[]) {
    say(`Measuring ${name} …`);
    const sides = { ours: runner(origins.ours, name), floor: runner(origins.floor, name) };
    if (isOneOf(IDEAL_REQUESTS, name)) {
      const rounds = await alternate({ ...sides, ideal: runner(origins.ideal, name) }, effort);
      Object.assign(results, compared(name, rounds.ours, rounds.floor));
      Object.assign(results, compared(`${name}_vs_ideal`, rounds.ours, rounds.ideal));
    } else {
      const rounds = await alternate(sides, effort);
      Object.assign(results, compared(name, rounds.ours, rounds.floor));
    }
  }
  say('Measuring page 10,000 against page 1 …');
  const { deep, first } = await alternate(
    { deep: runner(origins.ours, 'list_page_10000'), first: runner(origins.ours, 'list_page_1') },
    effort,
  );
  Object.assign(results, compared('list_page_10000_vs_page_1', deep, first));
  return results;
}

const isOneOf = (names: readonly string[], name: string) => names.includes(name);

/** Compares creates under rules in a template with 100,000 passes and in one with few. */
async function compareGrowth(
  { ours, pid }: { ours: string; pid: number },
  { apiKey, growth }: Seed,
  { say, ...effort }: BenchOptions,
): Promise<Results> {
  say('Measuring creates under rules in an old template …');
  const { old, young } = await alternate(
    {
      old: runnerOf(ours, ruledCreates(apiKey, growth.old), pid),
      young: runnerOf(ours, ruledCreates(apiKey, growth.young), pid),
    },
    effort,
  );
  return compared('create_ruled_100000_vs_few', old, young);
}

/** Sends calls for some seconds, and measures the server's processor time. */
function runnerOf(origin: string, next: () => Call, pid: number): Runner {
  return async (seconds) => {
    const before = processorMillis(pid);
    const round = await load(origin, next, seconds);
    const after = processorMillis(pid);
    const spent = before === undefined || after === undefined ? undefined : after - before;
    return { ...round, processorMillis: spent && spent / round.latencies.length };
  };
}

function compared(name: string, ours: Round[], floor: Round[]): Results {
  const results: Record<string, Result> = {
    [name]: result(medianRate(ours), medianRate(floor), 'requests/s', rateRatio(ours, floor)),
    [`${name}_median`]: result(latency(ours, 0.5), latency(floor, 0.5), 'ms'),
    [`${name}_p99`]: result(latency(ours, 0.99), latency(floor, 0.99), 'ms'),
  };
  const spent = (rounds: Round[]) => quantile(rounds.flatMap((round) => round.processorMillis ?? []));
  if (!Number.isNaN(spent(ours))) results[`${name}_cpu`] = result(spent(ours), spent(floor), 'ms/request');
  return results;
}
