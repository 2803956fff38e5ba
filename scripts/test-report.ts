import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { FileTimes } from '../test/support/file-times.ts';
import { ROOT } from './settings.ts';

/** Enough lines of an error to show what was expected and where. */
const LINES_OF_FAILURE = 12;

/** The slowest files are listed at the end, as a guide to what slows the suite down. */
const SLOWEST_SHOWN = 25;

/** A file that takes longer alone on an idle machine is too slow to be run often. */
const SECONDS_MAX = 10;

/** Result of a run. */
export interface Tally {
  passed: number;
  /** Name and message of each failure, in a few lines. */
  failures: string[];
  files?: FileTime[];
}

/** Duration of a file's tests and hooks. */
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
    assertionResults: { status: string; fullName: string; failureMessages?: string[] }[];
  }[];
}

/** The report has no text for an error in `beforeAll`. */
const IN_A_HOOK = 'A hook failed; see its error above, after FAIL.';

/**
 * Reads a report, and the durations from `FileTimesReporter`. A file that could not be loaded has no failed test, and
 * counts as one.
 */
export function readReport(path: string, timesPath: string): Tally {
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
  const times: FileTimes = existsSync(timesPath) ? JSON.parse(readFileSync(timesPath, 'utf8')) : {};
  const files = Object.entries(times).map(([name, millis]) => ({
    lane: '',
    file: relative(ROOT, name),
    seconds: millis / 1_000,
  }));
  return { passed: report.numPassedTests, failures, files };
}

/** The last line of fast-check's message about a random test. Its report omits the underlying error. */
const RANDOM_HINT = /^Hint: Enable verbose mode.*$/m;
const CAUSE_ABOVE = 'See the expected and actual values above, after "Caused by".';

/** Returns a failure's name with the first lines of its message, without library frames. */
export function describeFailure(what: string, said = ''): string {
  const own = said
    .replace(RANDOM_HINT, CAUSE_ABOVE)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^ +at .*node_modules/.test(line));
  const lines = own.slice(0, LINES_OF_FAILURE);
  return [what, ...lines.map((line) => `    ${line}`)].join('\n');
}

const line = (seconds: number, what: string) => `${seconds.toFixed(1).padStart(7)} s  ${what}`;

/** Returns the files that took too long, for a run of a few files. Beside other lanes, all of them take longer. */
export function slowFiles(times: FileTime[]): string[] {
  const slow = times.filter(({ seconds }) => seconds > SECONDS_MAX);
  if (slow.length === 0) return [];
  const title = `\nOver ${SECONDS_MAX} s, which a file may take alone on an idle machine:`;
  return [title, ...slow.map(({ seconds, file }) => line(seconds, file))];
}

/** Returns the seconds of each lane, and of the slowest files. */
export function slowestFiles(times: FileTime[]): string[] {
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
