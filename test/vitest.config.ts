import { join } from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isLeftOut, PASSKEY_LIBRARY, STAND_IN } from '../scripts/left-out.ts';

/** Tests that need the running Worker: those of the surfaces, and of wallets' route files. */
const WORKER = [
  'test/{api,mcp,admin,pages,jobs}/**/*.test.{ts,tsx}',
  'test/client/service/**/*.test.ts',
  'test/wallets/**/route.test.ts',
  'test/contract.test.ts',
  'test/support/worker.test.ts',
];
const BROWSER = ['test/browser/**/*.test.ts'];
/** Unit tests that take seconds each: random runs, faults, scripts with processes. The quick check skips them. */
const LONG = [
  'test/faults/**/*.test.ts',
  'test/domain/account-moves/{final-check,move-account,two-commands}.test.ts',
  'test/domain/pushes/google-rate.test.ts',
  'test/domain/search/{differential,phrase}.test.ts',
  'test/regular-expressions.test.ts',
  'test/scripts/{backup-bucket,deploy,worker-process}.test.ts',
];
const SHORT_KEEP_ALIVE = './test/support/short-keep-alive.ts';
const START_WORKER = './test/support/global-setup.ts';
const START_BROWSER = './test/support/browser-setup.ts';

const WORKERS_MODULE = join(import.meta.dirname, 'support/cloudflare-workers.ts');

const BUNDLED_DRIZZLE = join(import.meta.dirname, 'support/bundled-drizzle.ts');

const ROOT = join(import.meta.dirname, '..');

/** Tests use the library as it is bundled. */
const leaveOut: Plugin = {
  name: 'leave-out',
  enforce: 'pre',
  resolveId: (name, importer) => (importer && isLeftOut(name, importer) ? STAND_IN : null),
};

/** Far longer than any test takes on an idle machine, so that none fails on a busy one. */
const TIMEOUT_MILLIS = 120_000;

/**
 * Unit tests share modules, and so the clock of identifiers, which never goes back: a file that sets the time years
 * ahead affects later ones. So the order of files is always the same.
 */
class SameOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    if (files.some(({ project }) => !['unit', 'long'].includes(project.name))) return super.sort(files);
    return [...files].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
  }
}

/** Returns a project whose tests run the product's modules in their own process. */
const withoutWorker = (name: string, include: string[], exclude: string[]): TestProjectConfiguration => ({
  extends: true,
  resolve: { alias: { 'cloudflare:workers': WORKERS_MODULE } },
  plugins: [leaveOut],
  test: {
    name,
    include,
    exclude,
    execArgv: ['--import', BUNDLED_DRIZZLE],
    server: { deps: { inline: [PASSKEY_LIBRARY] } },
  },
});

export default defineConfig({
  root: ROOT,
  test: {
    environment: 'node',
    // Files of one run share a Worker, and tests check its figures: scripts/test.ts starts several runs instead of
    // running several files at once.
    maxWorkers: 1,
    sequence: { sequencer: SameOrder },
    // Files of one run share their modules, too: loading them for each file takes a third of the time of the unit
    // tests.
    isolate: false,
    unstubGlobals: true,
    restoreMocks: true,
    hookTimeout: TIMEOUT_MILLIS,
    testTimeout: TIMEOUT_MILLIS,
    // The summary after a run shows only this message, which for many checks is a list of faults.
    chaiConfig: { truncateThreshold: 400 },
    expect: { poll: { timeout: TIMEOUT_MILLIS / 2 } },
    projects: [
      withoutWorker('unit', ['test/**/*.test.{ts,tsx}'], [...WORKER, ...BROWSER, ...LONG]),
      withoutWorker('long', LONG, []),
      {
        extends: true,
        test: { name: 'worker', include: WORKER, globalSetup: START_WORKER, setupFiles: SHORT_KEEP_ALIVE },
      },
      {
        extends: true,
        test: { name: 'browser', include: BROWSER, globalSetup: [START_WORKER, START_BROWSER] },
      },
    ],
  },
});
