import { join } from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isLeftOut, PASSKEY_LIBRARY, STAND_IN } from '../scripts/left-out.ts';
import { LONG, SHORT_ONLY } from './support/long-tests.ts';

/** Tests that need the running Worker: those of the surfaces, and of wallets' route files. */
const WORKER = [
  'test/{api,mcp,admin,pages,jobs}/**/*.test.{ts,tsx}',
  'test/client/service/**/*.test.ts',
  'test/wallets/**/route.test.ts',
  'test/contract.test.ts',
  'test/support/worker.test.ts',
];
const BROWSER = ['test/browser/**/*.test.ts'];
const SHORT_KEEP_ALIVE = './test/support/short-keep-alive.ts';
const START_WORKER = './test/support/global-setup.ts';
const CAMERA_VIDEO = './test/support/camera-video.ts';
const CLOSE_PAGES = './test/support/close-pages.ts';

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
    if (files.some(({ project }) => project.name !== 'unit')) return super.sort(files);
    return [...files].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
  }
}

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
      // Runs the product's modules in the process of the tests.
      {
        extends: true,
        resolve: { alias: { 'cloudflare:workers': WORKERS_MODULE } },
        plugins: [leaveOut],
        test: {
          name: 'unit',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...WORKER, ...BROWSER, ...(process.env[SHORT_ONLY] ? LONG : [])],
          execArgv: ['--import', BUNDLED_DRIZZLE],
          server: { deps: { inline: [PASSKEY_LIBRARY] } },
        },
      },
      {
        extends: true,
        test: { name: 'worker', include: WORKER, globalSetup: START_WORKER, setupFiles: SHORT_KEEP_ALIVE },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: BROWSER,
          globalSetup: [START_WORKER, CAMERA_VIDEO],
          setupFiles: CLOSE_PAGES,
        },
      },
    ],
  },
});
