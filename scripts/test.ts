import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, delimiter, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { mapConcurrent } from '../src/platform/map-concurrent.ts';
import { FAULTY_ENVIRONMENT, QUICK_FAULTS, withFaults } from '../test/support/fault-exceptions.ts';
import { clearRecordings, recordedStatements, STATEMENTS_DIR } from '../test/support/statement-record.ts';
import { BUNDLE_DIR, bundleWorkers } from '../test/support/worker-bundle.ts';
import { buildMissingClients } from './build-clients.ts';
import { provideChromium } from './chromium.ts';
import { describeFailure, type FileTime, readReport, slowestFiles, type Tally } from './test-report.ts';

/*
 * The one gate: types, lint, migrations, then the tests, and whether each statement that they made the product prepare
 * is tied to one tenant. What failed is said once more at the end, because lanes write thousands of lines over one
 * another. The last line is `N passed, M failed`; the exit code is 1 when M is not 0.
 *
 *   npm test                          everything
 *   npm run check                     what takes seconds: what needs no running Worker, without long tests
 *   npm test -- test/tidy.test.ts     the arguments go to vitest, and only vitest and the judge of statements run
 *
 * Where the suite takes too long at once, run it in parts that keep their statements, then judge all of them:
 *
 *   KEEP_STATEMENTS=.local/statements/api npm test -- test/api/
 *   npm test -- --judge .local/statements/*
 *
 * `npm test -- --faults` runs the tests of what requests write, or the files that follow, while one round trip to D1 in
 * twenty fails. A run of everything does so with a few of them.
 */

const ROOT = join(import.meta.dirname, '..');
const MIGRATIONS = join(ROOT, 'migrations');
const SCHEMA = './src/{domain,dev}/*/table.ts';
/** What browsers run knows the browser in place of the Worker's runtime, so it is a program of its own. */
const CLIENTS = 'src/pages/client-tsconfig.json';
/** Several checkers side by side each find out the types that they share: a third more processor time. */
const ONE_CHECKER = ['--checkers', '1'];
const QUICK = '--quick';
const JUDGE = '--judge';
const FAULTS = '--faults';
/** A file or pipe gets no escape sequences; biome takes the word for it only as an option. */
const PLAIN = !process.stdout.isTTY;

/** The unit tests in parts: as many as a small machine has processors. */
const UNIT_LANES: Lanes = shards('unit', 2);
/** What runs without the Worker. */
const OWN_LANES: Lanes = { ...UNIT_LANES, ...shards('long', 1) };
/**
 * All tests in parts, each a run of vitest; those that aren't above have a Worker of their own, so that none sees what
 * the others do to it. The longest come first.
 */
const LANES: Lanes = {
  ...shards('browser', 1),
  ...shards('worker', 4),
  ...OWN_LANES,
  faults: withFaults(QUICK_FAULTS),
};
/**
 * Parts and checks that run side by side. Two for each processor keep all of them busy, because tests also wait for
 * alarms and browsers. More would only make each request slower, until tests reach their time limits.
 */
const AT_ONCE = 2 * availableParallelism();
/** Arguments of vitest by the names of lanes. */
type Lanes = Record<string, string[]>;

/** Parts of one project. */
function shards(project: string, count: number): Lanes {
  const names = Array.from({ length: count }, (_, i) => `${project} ${i + 1}`);
  return Object.fromEntries(names.map((name, i) => [name, ['--project', project, '--shard', `${i + 1}/${count}`]]));
}

/** Whether a tool's promise was held, and what it said. */
interface Outcome {
  held: boolean;
  said: string;
}

/** What is counted as one test each, beside the tests. */
const CHECKS: {
  promise: string;
  check: () => Promise<Outcome>;
}[] = [
  { promise: 'types fit', check: () => outcomeOf('tsc', ONE_CHECKER) },
  { promise: 'types of the browsers’ files fit', check: () => outcomeOf('tsc', [...ONE_CHECKER, '-p', CLIENTS]) },
  { promise: 'types of the client fit', check: () => outcomeOf('tsc', [...ONE_CHECKER, '-p', 'client']) },
  {
    promise: 'lint and format are clean',
    check: () => outcomeOf('biome', ['ci', '--error-on-warnings', ...(PLAIN ? ['--colors=off'] : [])]),
  },
  {
    promise: 'migrations are up to date with the tables',
    check: migrationsAreUpToDate,
  },
];

/** More than a whole run has ever left in its folder. */
const SCRATCH_BYTES = 4 * 1024 ** 3;
const SCRATCH_PREFIX = 'pass-wallet-test-';
/** No run takes as long: what is older was left by one that was killed. */
const SCRATCH_MS_MAX = 6 * 60 * 60_000;

const options = process.argv.slice(2);
const hasFaults = options[0] === FAULTS;
const given = hasFaults ? withFaults(options.slice(1)) : options;
const quick = given.includes(QUICK);
const scratch = mkdtempSync(join(roomInMemory() ?? tmpdir(), SCRATCH_PREFIX));
process.env.TMPDIR = scratch;
const kept = process.env.KEEP_STATEMENTS;
/** Where this run, and no other, records which statements the product prepares. */
const statements = kept ? resolve(kept) : join(scratch, 'statements');
const total = { passed: 0, failures: [] as string[], files: [] as FileTime[] };
try {
  if (given[0] === JUDGE) add(await judgeStatements('all', given.slice(1)));
  else await runTests();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (given.length === 0 || quick) for (const line of slowestFiles(total.files)) console.log(line);
for (const failure of total.failures) console.log(`\n✗ ${failure}`);
console.log(`${total.passed} passed, ${total.failures.length} failed`);
process.exitCode = total.failures.length > 0 ? 1 : 0;

async function runTests(): Promise<void> {
  clearRecordings(statements);
  await buildMissingClients();
  if (quick) await runAll(UNIT_LANES);
  else if (given.length > 0) add(unknownFiles(given) ?? (await runVitest(given, hasFaults)));
  else await runAll(lanesHere());
  if (given.length === 0) add(await judgeStatements('all', [statements]));
  else if (recordedStatements([statements]).length > 0) add(await judgeStatements('some', [statements]));
}

/** A failure that names the tests that may have been meant, if a path fits none. */
function unknownFiles(names: string[]): Tally | undefined {
  const files = globSync('test/**/*.test.{ts,tsx}', { cwd: ROOT });
  const paths = names.filter((name) => name.startsWith('test/')).map((name) => name.replace(/:\d+$/, ''));
  const unknown = paths.find((path) => !files.some((file) => file.includes(path)));
  if (unknown === undefined) return undefined;
  const [word] = basename(unknown).split('.');
  const near = files.filter((file) => file.includes(word!)).sort();
  return { passed: 0, failures: [[`No test file is called ${unknown}. Near it:`, ...near].join('\n  ')] };
}

/** The lanes that this machine can run; one without a browser counts as one failure. */
function lanesHere(): Lanes {
  const browser = provideChromium();
  if ('path' in browser) return LANES;
  add(tallyOf(browser.problem, { held: false, said: '' }));
  return Object.fromEntries(Object.entries(LANES).filter(([, [, project]]) => project !== 'browser'));
}

/** Linux' file system in memory if a run fits in it: on a disk, databases wait for each commit. */
function roomInMemory(): string | undefined {
  const folder = '/dev/shm';
  if (!existsSync(folder)) return undefined;
  for (const name of readdirSync(folder).filter((one) => one.startsWith(SCRATCH_PREFIX))) {
    const left = join(folder, name);
    const isOld = Date.now() - (statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN) > SCRATCH_MS_MAX;
    if (isOld) rmSync(left, { recursive: true, force: true });
  }
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= SCRATCH_BYTES ? folder : undefined;
}

/** Runs lanes and checks side by side. The Worker is bundled once for all lanes that need it. */
async function runAll(lanes: Lanes): Promise<void> {
  // Once, before each lane finds that it is missing.
  await (await import('../test/support/migrated-database.ts')).migratedDatabase();
  const needsWorker = ([name]: [string, string[]]) => !(name in OWN_LANES);
  let chosen = Object.entries(lanes);
  if (chosen.some(needsWorker)) {
    process.env[BUNDLE_DIR] = join(scratch, 'bundle');
    const problem = await bundleWorkers(process.env[BUNDLE_DIR]).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (problem !== undefined) {
      add(tallyOf('the Worker can be bundled', { held: false, said: problem }));
      chosen = chosen.filter((lane) => !needsWorker(lane));
    }
  }
  const runs = [
    ...chosen.map((lane) => () => runLane(lane)),
    ...CHECKS.map(
      ({ promise, check }) =>
        async () =>
          tallyOf(promise, await check()),
    ),
  ];
  for (const tally of await mapConcurrent(runs, AT_ONCE, (run) => run())) add(tally);
}

function add({ passed, failures, files = [] }: Tally): void {
  total.passed += passed;
  total.failures.push(...failures);
  total.files.push(...files);
}

/** Says whether a promise was held, and counts it as one test. */
function tallyOf(promise: string, { held, said }: Outcome): Tally {
  console.log(`${said}${held ? '✓' : '✗'} ${promise}`);
  return held ? { passed: 1, failures: [] } : { passed: 0, failures: [describeFailure(promise, said)] };
}

/**
 * Whether each recorded statement is tied to one tenant. `some` tests don't prepare every statement that an exception
 * is for; `all` of them must.
 */
async function judgeStatements(scope: 'all' | 'some', folders: string[]): Promise<Tally> {
  const outcome = await outcomeOf('node', ['test/support/judge-statements.ts', scope, ...folders]);
  return tallyOf('statements touch the rows of one tenant, and a page of them', outcome);
}

/**
 * Generates migrations into a copy: a file that is new or changed there says that a table was edited without its
 * migration.
 */
async function migrationsAreUpToDate(): Promise<Outcome> {
  const copy = join(scratch, 'migrations');
  cpSync(MIGRATIONS, copy, { recursive: true });
  // drizzle-kit takes relative paths only, and ends with code 0 after an error, too: its words are the proof that it
  // has compared.
  const { said } = await outcomeOf('drizzle-kit', [
    'generate',
    '--dialect=sqlite',
    `--schema=${SCHEMA}`,
    `--out=${relative(ROOT, copy)}`,
  ]);
  const held = said.includes('No schema changes') && filesOf(copy) === filesOf(MIGRATIONS);
  return { held, said: held ? '' : said };
}

/** Names and contents of all files below a directory, as one text. */
function filesOf(directory: string): string {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return `${path.slice(directory.length)}\n${readFileSync(path, 'utf8')}`;
  });
  return contents.sort().join('\n');
}

/** Runs one of several runs of vitest; each line that it says begins with its name. */
async function runLane([name, selection]: [string, string[]]): Promise<Tally> {
  const tally = await runVitest(selection, name === 'faults', (line) => console.log(`${name} | ${line}`));
  return { ...tally, files: tally.files?.map((file) => ({ ...file, lane: name })) };
}

/**
 * Runs vitest and reads its own count. A run that breaks without a failed test, say by an error outside of tests,
 * counts as one failure. What it says goes to our output, or line by line to `say`.
 */
async function runVitest(extra: string[], isFaulty: boolean, say?: (line: string) => void): Promise<Tally> {
  const report = join(mkdtempSync(join(scratch, 'vitest-')), 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const parameters = ['run', '--config', 'test/vitest.config.ts', ...reporters, ...extra];
  const child = start('vitest', parameters, say ? 'pipe' : 'inherit', isFaulty ? FAULTY_ENVIRONMENT : {});
  const ended = once(child, 'exit');
  if (say) await Promise.all([child.stdout!, child.stderr!].map((input) => eachLine(input, say)));
  const [code] = await ended;
  const tally = readReport(report);
  const broke = code !== 0 && tally.failures.length === 0;
  return broke ? { ...tally, failures: [`vitest ${extra.join(' ')} ended with code ${code}`] } : tally;
}

async function eachLine(input: Readable, say: (line: string) => void): Promise<void> {
  for await (const line of createInterface({ input })) say(line);
}

/** Runs a tool of `node_modules`: whether it has ended with code 0, and all that it said. */
async function outcomeOf(tool: string, parameters: string[]): Promise<Outcome> {
  const child = start(tool, parameters, 'pipe');
  const [said, complained, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'exit')]);
  return { held: code === 0, said: said + complained };
}

function start(
  tool: string,
  parameters: string[],
  output: 'inherit' | 'pipe',
  environment: Record<string, string> = {},
): ChildProcess {
  const path = [join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  return spawn(tool, parameters, {
    cwd: ROOT,
    env: {
      ...process.env,
      PATH: path,
      WRANGLER_SEND_METRICS: 'false',
      [STATEMENTS_DIR]: statements,
      ...(PLAIN ? { NO_COLOR: '1' } : { FORCE_COLOR: '1' }),
      ...environment,
    },
    // Without a terminal nothing can stop to ask, as drizzle-kit does when a column seems renamed.
    stdio: ['ignore', output, output],
  });
}
