import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename, delimiter, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { mapConcurrent } from '../src/platform/concurrency.ts';
import { FAULTY_ENVIRONMENT, withFaults } from '../test/support/fault-exceptions.ts';
import { FILE_TIMES } from '../test/support/file-times.ts';
import { SHORT_ONLY } from '../test/support/long-tests.ts';
import { clearRecordings, recordedStatements, STATEMENTS_DIR } from '../test/support/statement-record.ts';
import { BUNDLE_DIR, bundleWorkers } from '../test/support/worker-bundle.ts';
import { buildMissingClients } from './build-clients.ts';
import { provideChromium } from './chromium.ts';
import { AT_ONCE, LANES, type Lanes, LESS_URGENT, QUICK_LANES } from './test-lanes.ts';
import { describeFailure, type FileTime, readReport, slowestFiles, slowFiles, type Tally } from './test-report.ts';
import { makeScratchFolder } from './test-scratch.ts';

/*
 * The one gate: types, lint, migrations, the tests, and whether each SQL statement they made the product prepare is
 * scoped to one tenant. Failures are repeated at the end, because lanes interleave thousands of lines. The last line is
 * `N passed, M failed`; the exit code is 1 if M is not 0.
 *
 *   npm test                          everything
 *   npm run check                     the quick checks: no running Worker, no long tests
 *   npm test -- test/tidy.test.ts     passes the arguments to vitest; runs only vitest and the statement check
 *
 * If the whole suite takes too long, run it in parts that keep their statements, then check all of them:
 *
 *   KEEP_STATEMENTS=.local/statements/api npm test -- test/api/
 *   npm test -- --judge .local/statements/*
 *
 * `npm test -- --faults` runs the tests of writes, or the files that follow, while one in twenty round trips to D1
 * fails. A full run includes a few of them.
 */

const ROOT = join(import.meta.dirname, '..');
const MIGRATIONS = join(ROOT, 'migrations');
const SCHEMA = './src/{domain,dev}/*/table.ts';
/** Client code is type-checked as a separate program, with browser types instead of the Worker runtime's. */
const CLIENTS = 'src/pages/client-tsconfig.json';
/** Parallel checkers each recompute shared types: a third more processor time. */
const ONE_CHECKER = ['--checkers', '1'];
/** The compiler needs most of its memory to the end, so a quarter of its time would go into finding little garbage. */
const FEW_COLLECTIONS = { GOGC: '400' };
const QUICK = '--quick';
const JUDGE = '--judge';
const FAULTS = '--faults';
const TIMES = './test/support/file-times.ts';
const JUDGES = 'test/support/judge-statements.ts';
/** No escape sequences in files and pipes; biome needs an option for that. */
const PLAIN = !process.stdout.isTTY;

/** Whether a check passed, and its output. */
interface Outcome {
  held: boolean;
  said: string;
}

/** Checks that count as one test each, besides the tests. */
const CHECKS: {
  promise: string;
  check: () => Promise<Outcome>;
}[] = [
  { promise: 'types check', check: () => typesCheck() },
  { promise: 'types of the browser files check', check: () => typesCheck('-p', CLIENTS) },
  { promise: 'types of the client check', check: () => typesCheck('-p', 'client') },
  {
    promise: 'lint and format are clean',
    check: () => outcomeOf('biome', ['ci', '--error-on-warnings', ...(PLAIN ? ['--colors=off'] : [])]),
  },
  {
    promise: 'migrations are up to date with the tables',
    check: migrationsAreUpToDate,
  },
];

const options = process.argv.slice(2);
const hasFaults = options[0] === FAULTS;
const given = hasFaults ? withFaults(options.slice(1)) : options;
const quick = given.includes(QUICK);
process.env[SHORT_ONLY] = quick ? '1' : '';
const scratch = makeScratchFolder();
process.env.TMPDIR = scratch;
const kept = process.env.KEEP_STATEMENTS;
/** Where this run records the statements that the product prepares. No other run uses it. */
const statements = kept ? resolve(kept) : join(scratch, 'statements');
const total = { passed: 0, failures: [] as string[], files: [] as FileTime[] };
try {
  if (given[0] === JUDGE) add(await judgeStatements('all', given.slice(1)));
  else await runTests();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const timeLines = given.length === 0 || quick ? slowestFiles(total.files) : slowFiles(total.files);
for (const line of timeLines) console.log(line);
for (const failure of total.failures) console.log(`\n✗ ${failure}`);
console.log(`${total.passed} passed, ${total.failures.length} failed`);
process.exitCode = total.failures.length > 0 ? 1 : 0;

async function runTests(): Promise<void> {
  clearRecordings(statements);
  await buildMissingClients();
  if (quick) await runAll(QUICK_LANES);
  else if (given.length > 0) add(unknownFiles(given) ?? (await runVitest(given, hasFaults)));
  else await runAll(lanesHere());
  if (given.length === 0) add(await judgeStatements('all', [statements]));
  else if (recordedStatements([statements]).length > 0) add(await judgeStatements('some', [statements]));
}

/** Returns a failure that suggests similar tests, if a path matches none. */
function unknownFiles(names: string[]): Tally | undefined {
  const files = globSync('test/**/*.test.{ts,tsx}', { cwd: ROOT });
  const paths = names.filter((name) => name.startsWith('test/')).map((name) => name.replace(/:\d+$/, ''));
  const unknown = paths.find((path) => !files.some((file) => file.includes(path)));
  if (unknown === undefined) return undefined;
  const near = files.filter((file) => file.includes(basename(unknown).split('.')[0]!)).sort();
  const hint = near.length > 0 ? ['Similar files:', ...near].join('\n  ') : 'All are in test/.';
  return { passed: 0, failures: [`No test file matches ${unknown}. ${hint}`] };
}

/** Returns the lanes this machine can run. Without a browser, one failure is counted. */
function lanesHere(): Lanes {
  const browser = provideChromium();
  if ('path' in browser) return LANES;
  add(tallyOf(browser.problem, { held: false, said: '' }));
  return Object.fromEntries(Object.entries(LANES).filter(([, [, project]]) => project !== 'browser'));
}

/** Runs lanes and checks side by side. Bundles the Worker once for all lanes that need it. */
async function runAll(lanes: Lanes): Promise<void> {
  // Built once, before each lane finds that it is missing.
  await (await import('../test/support/migrated-database.ts')).migratedDatabase();
  const needsWorker = ([, [, project]]: [string, string[]]) => project !== 'unit';
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
    ...(quick ? [] : [judgeAhead]),
  ];
  for (const tally of await mapConcurrent(runs, AT_ONCE, (run) => run())) add(tally);
}

function add({ passed, failures, files = [] }: Tally): void {
  total.passed += passed;
  total.failures.push(...failures);
  total.files.push(...files);
}

/** Prints whether a check passed, and counts it as one test. */
function tallyOf(promise: string, { held, said }: Outcome): Tally {
  console.log(`${said}${held ? '✓' : '✗'} ${promise}`);
  return held ? { passed: 1, failures: [] } : { passed: 0, failures: [describeFailure(promise, said)] };
}

/**
 * Checks that each recorded statement is scoped to one tenant. For `all` tests, every exception must also be used;
 * `some` tests don't prepare every statement that has an exception.
 */
async function judgeStatements(scope: 'all' | 'some', folders: string[]): Promise<Tally> {
  const outcome = await outcomeOf('node', [JUDGES, scope, ...folders]);
  return tallyOf('statements access one tenant, and change at most a page of rows', outcome);
}

/** Judges statements beside the last lanes. Correct ones are remembered, so few are left for the end. */
async function judgeAhead(): Promise<Tally> {
  await outcomeOf('node', [JUDGES, 'some', statements]);
  return { passed: 0, failures: [] };
}

/** Generates migrations into a copy: a new or changed file means that a table was edited without its migration. */
async function migrationsAreUpToDate(): Promise<Outcome> {
  const copy = join(scratch, 'migrations');
  cpSync(MIGRATIONS, copy, { recursive: true });
  // drizzle-kit takes only relative paths, and exits with code 0 even after an error, so its output must prove that it
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

/** Returns names and contents of all files below a directory, as one text. */
function filesOf(directory: string): string {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return `${path.slice(directory.length)}\n${readFileSync(path, 'utf8')}`;
  });
  return contents.sort().join('\n');
}

/** Runs vitest for a lane, and prefixes its output lines with the lane's name. */
async function runLane([name, selection]: [string, string[]]): Promise<Tally> {
  const tally = await runVitest(selection, name === 'faults', name);
  return { ...tally, files: tally.files?.map((file) => ({ ...file, lane: name })) };
}

/**
 * Runs vitest and reads its counts. A run that fails without a failed test, such as by an error outside of tests,
 * counts as one failure.
 */
async function runVitest(extra: string[], isFaulty: boolean, lane?: string): Promise<Tally> {
  const folder = mkdtempSync(join(scratch, 'vitest-'));
  const [report, times] = [join(folder, 'report.json'), join(folder, 'times.json')];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`, `--reporter=${TIMES}`];
  const parameters = ['run', '--config', 'test/vitest.config.ts', ...reporters, ...extra];
  const child = start('vitest', parameters, lane ? 'pipe' : 'inherit', {
    ...(isFaulty ? FAULTY_ENVIRONMENT : {}),
    [FILE_TIMES]: times,
  });
  const ended = once(child, 'exit');
  if (lane && !lane.startsWith('unit')) setPriority(child.pid!, getPriority() + LESS_URGENT);
  if (lane) await Promise.all([child.stdout!, child.stderr!].map((input) => printLines(input, lane)));
  const [code] = await ended;
  const tally = readReport(report, times);
  const broke = code !== 0 && tally.failures.length === 0;
  return broke ? { ...tally, failures: [`vitest ${extra.join(' ')} ended with code ${code}`] } : tally;
}

async function printLines(input: Readable, lane: string): Promise<void> {
  for await (const line of createInterface({ input })) console.log(`${lane} | ${line}`);
}

function typesCheck(...parameters: string[]): Promise<Outcome> {
  return outcomeOf('tsc', [...ONE_CHECKER, ...parameters], FEW_COLLECTIONS);
}

/** Runs a tool from `node_modules`. Returns whether it exited with code 0, and its output. */
async function outcomeOf(
  tool: string,
  parameters: string[],
  environment: Record<string, string> = {},
): Promise<Outcome> {
  const child = start(tool, parameters, 'pipe', environment);
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
    // Without a terminal, tools can't stop to ask, as drizzle-kit does when a column seems renamed.
    stdio: ['ignore', output, output],
  });
}
