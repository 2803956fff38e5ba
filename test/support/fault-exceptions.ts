import { D1_FAULTS } from './d1-faults.ts';

/** Folders whose Worker tests also run with faults. */
export const FAULTY_FOLDERS = ['test/api/', 'test/pages/', 'test/wallets/'];

/** Tests in those folders that runs with faults skip. */
export interface FaultException {
  /** Part of the full titles. */
  title: string;
  /** The title as written in the file, if a table completes it. */
  written?: string;
  reason: string;
}

/** A retried request makes more database queries. */
const COUNTS = 'counts round trips, or rows';

/** The safe side: guessing must not get more attempts. */
const TRIES = 'counts simultaneous tries: one that has lost its answer counts twice if another comes between';

/** Files whose tests all count round trips and rows. */
const COUNTING_FILES = '**/*cost.test.ts';

const COUNTING_TITLES = [
  'costs nothing more without recipients, and no round trip more with them',
  'costs a create no round trip, and few rows',
  'do not change the cost of a valid key',
  'to create passes, at the same cost as by identifier',
  'takes two round trips',
  'costs an account without subscriptions nothing, and one with subscriptions an outbox row',
  'schedules a push, for at most three round trips',
  'takes three round trips and a handful of rows',
  'accepts 500 passes, for at most three round trips and rows in proportion to the list',
  'takes four round trips at most',
  'takes three round trips at most, however many passes there are',
  'a change of a template with 2,000 active passes reads as many rows as of one with 20',
  'accepts a pass type that the account may sign with, without another round trip',
  'costs the same however long the log is, with each filter',
  'a range of 100 passes takes two round trips, and ten rows written per pass',
  'lists the catalog in the envelope, and reads only the key from the database',
  'writes nothing when nothing differs',
  'takes three round trips',
  'shows what is scheduled, in order and in the account’s time zone, and omits the empty list',
  'costs a read and a write',
  'is created once by 20 simultaneous first requests, and then costs two round trips',
  'costs a round trip only if a template signs',
  'costs one round trip besides checking the key, and only the page’s rows',
  'guesses the columns’ fields and shows what would be rejected before anything is created',
  'cost one write',
  'does not depend on the size of the tables',
];

export const FAULT_EXCEPTIONS: FaultException[] = [
  ...COUNTING_TITLES.map((title) => ({ title, reason: COUNTS })),
  {
    title: 'is fetched once by a request that waits for it, however often the pass changes meanwhile',
    reason: 'counts how often a server is asked: a request that begins again fetches the image again',
  },
  {
    title: 'of 50 devices at once counts each exactly, and reports one as the first',
    reason: 'expects events in the order of their commits: a repeated request keeps its identifier, and commits later',
  },
  { title: 'are counted exactly if fifty arrive at once', reason: TRIES },
  {
    title: 'is locked after five wrong PINs, however many are tried at once',
    reason: 'counts replies: a try whose answer was lost hears of the lock that came between',
  },
];

/** Seed of a run with faults, unless the variable D1_FAULTS sets another. */
const SEED = '20261123';

/** Files that every full run repeats with faults: they take seconds, and cover writes of each surface. */
export const QUICK_FAULTS = [
  'test/api/idempotency.test.ts',
  'test/api/v1/appconfiguration.test.ts',
  'test/api/v3/pass.test.ts',
  'test/pages/console/api-keys.test.ts',
  'test/pages/scanner/route.test.ts',
];

/** Enables the faults of a run. */
export const FAULTY_ENVIRONMENT = { [D1_FAULTS]: process.env[D1_FAULTS] ?? SEED };

/** Returns vitest's arguments for a run with faults of these files, or of all. */
export function withFaults(files: string[] = []): string[] {
  const titles = FAULT_EXCEPTIONS.map(({ title }) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = `^(?!.*(?:${titles.join('|')}))`;
  const named = files.length > 0 ? files : FAULTY_FOLDERS;
  return ['--project', 'worker', '--exclude', COUNTING_FILES, '--testNamePattern', pattern, ...named];
}
