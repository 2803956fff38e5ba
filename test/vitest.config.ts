import { join } from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isLeftOut, PASSKEY_LIBRARY, STAND_IN } from '../scripts/left-out.ts';

/** Tests that need the running Worker: those of the surfaces, and of what a wallet's route file serves. */
const WORKER = [
  'test/{api,mcp,admin,pages,jobs}/**/*.test.{ts,tsx}',
  'test/client/service/**/*.test.ts',
  'test/wallets/**/route.test.ts',
  'test/contract.test.ts',
  'test/support/worker.test.ts',
];
const BROWSER = ['test/browser/**/*.test.ts'];
/** Unit tests that take seconds each: random runs, faults, scripts with processes. The quick check is without them. */
const LONG = [
  'test/faults/**/*.test.ts',
  'test/domain/account-moves/move-account.test.ts',
  'test/domain/pushes/google-rate.test.ts',
  'test/domain/search/{differential,phrase}.test.ts',
  'test/regular-expressions.test.ts',
  'test/scripts/{deploy,worker-process}.test.ts',
];
const SHORT_KEEP_ALIVE = './test/support/short-keep-alive.ts';
const START_WORKER = './test/support/global-setup.ts';
const START_BROWSER = './test/support/browser-setup.ts';

const WORKERS_MODULE = join(import.meta.dirname, 'support/cloudflare-workers.ts');

const ROOT = join(import.meta.dirname, '..');

/** Tests run the library as it is bundled. */
const leaveOut: Plugin = {
  name: 'leave-out',
  enforce: 'pre',
  resolveId: (name, importer) => (importer && isLeftOut(name, importer) ? STAND_IN : null),
};

/** Nothing waits as long on a machine of its own; a loaded one shall not fail. */
const TIMEOUT_MILLIS = 120_000;

/**
 * Unit tests share modules, and with them the clock of identifiers, which never goes back: a file that has set the time
 * years ahead changes what later ones see. So the same files come in the same order each time.
 */
class SameOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    if (files.some(({ project }) => !['unit', 'long'].includes(project.name))) return super.sort(files);
    return [...files].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
  }
}

/** A project whose tests run the product's modules in their own process. */
const withoutWorker = (name: string, include: string[], exclude: string[]): TestProjectConfiguration => ({
  extends: true,
  resolve: { alias: { 'cloudflare:workers': WORKERS_MODULE } },
  plugins: [leaveOut],
  test: { name, include, exclude, server: { deps: { inline: [PASSKEY_LIBRARY] } } },
});

export default defineConfig({
  root: ROOT,
  test: {
    environment: 'node',
    // Files of one run share a Worker, whose figures are asserted: scripts/test.ts has several runs in place of several
    // files at a time.
    maxWorkers: 1,
    sequence: { sequencer: SameOrder },
    // Files of one run share their modules, too: to load them again for each file takes a third of the time of the unit
    // tests.
    isolate: false,
    unstubGlobals: true,
    restoreMocks: true,
    hookTimeout: TIMEOUT_MILLIS,
    testTimeout: TIMEOUT_MILLIS,
    // The summary at the end of a run shows only this message, which for many checks is a list of faults.
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
