import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from './settings.ts';

/** As much of an error as says what was expected and where. */
const LINES_OF_FAILURE = 12;

/** The slowest files are shown at the end, because they are where a suite that has become slow can be mended. */
const SLOWEST_SHOWN = 25;

/** What came of a run. */
export interface Tally {
  passed: number;
  /** What each failure is about, and what was said of it, in a few lines. */
  failures: string[];
  files?: FileTime[];
}

/** How long the tests of a file took. */
export interface FileTime {
  lane: string;
  file: string;
  seconds: number;
}

interface Report {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    startTime: number;
    endTime: number;
    assertionResults: { status: string; fullName: string; failureMessages?: string[] }[];
  }[];
}

/** The report has no text for what a `beforeAll` throws. */
const IN_A_HOOK = 'A hook around the tests failed; its error stands above, behind FAIL.';

/** A file that could not even be loaded has no failed test, and counts as one. */
export function readReport(path: string): Tally {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { passed: 0, failures: [] };
  }
  const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(ROOT, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [describeFailure(file, message || IN_A_HOOK)] : [];
    return failed.map(({ fullName, failureMessages }) =>
      describeFailure(`${file}: ${fullName}`, failureMessages?.join('\n')),
    );
  });
  const files = report.testResults.map(({ name, startTime, endTime }) => ({
    lane: '',
    file: relative(ROOT, name),
    seconds: (endTime - startTime) / 1_000,
  }));
  return { passed: report.numPassedTests, failures, files };
}

/** The last line of what fast-check says of a random test. Its report has no text for the error behind it. */
const RANDOM_HINT = /^Hint: Enable verbose mode.*$/m;
const CAUSE_ABOVE = 'What was expected and what came stands above, behind "Caused by".';

/** What failed with the first lines of what was said, without frames of libraries. */
export function describeFailure(what: string, said = ''): string {
  const own = said
    .replace(RANDOM_HINT, CAUSE_ABOVE)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^ +at .*node_modules/.test(line));
  const lines = own.slice(0, LINES_OF_FAILURE);
  return [what, ...lines.map((line) => `    ${line}`)].join('\n');
}

/** Seconds of each lane, and of the files that took longest. */
export function slowestFiles(times: FileTime[]): string[] {
  const line = (seconds: number, what: string) => `${seconds.toFixed(1).padStart(7)} s  ${what}`;
  const lanes = Map.groupBy(times, ({ lane }) => lane);
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
  return [
    '\nLanes:',
    ...[...lanes].map(([lane, files]) =>
      line(
        files.reduce((sum, { seconds }) => sum + seconds, 0),
        lane,
      ),
    ),
    'Slowest files:',
    ...slowest.map(({ seconds, file }) => line(seconds, file)),
  ];
}
