import type { TestProject } from 'vitest/node';
import { askAt } from './bindings-client.ts';
import { startControlServer } from './control-server.ts';
import { D1_FAULTS } from './d1-faults.ts';
import { checkRecordedEvents } from './event-check.ts';
import { OutsideWorld } from './outside-world.ts';
import { type RunningWorker, startWorker, type Trust } from './start-worker.ts';
import { BUNDLE_DIR, keptBundle } from './worker-bundle.ts';

/** What a test file needs to reach the Worker of this run; `inject('worker')` gives it. */
export interface WorkerAddress {
  /** Public origin of the Worker, also its BASE_URL. */
  origin: string;
  adminToken: string;
  /** Where `control.ts` reaches the process that holds the Worker. */
  controlOrigin: string;
  /** Where `control.ts` reaches the Worker's bindings. */
  bindingsOrigin: string;
  /** Where `holdJobs` reaches the Worker. */
  holdsOrigin: string;
  /** Folder of the bundle, for Workers in processes of their own. */
  bundle: string;
  trust: Trust;
}

declare module 'vitest' {
  interface ProvidedContext {
    worker: WorkerAddress;
  }
}

interface SharedWorker {
  users: number;
  started: Promise<{ address: WorkerAddress; close(): Promise<void> }>;
}

/** Each project loads this module anew, but all of them are to meet one Worker: it is kept with the process. */
const shared = globalThis as typeof globalThis & { sharedTestWorker?: SharedWorker };

/** Starts the real Worker before the first test of a project, and stops it after the last one of all projects. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.sharedTestWorker ??= { users: 0, started: start() };
  const worker = shared.sharedTestWorker;
  worker.users += 1;
  project.provide('worker', (await worker.started).address);
  return async () => {
    worker.users -= 1;
    if (worker.users > 0) return;
    shared.sharedTestWorker = undefined;
    await (await worker.started).close();
  };
}

async function start(): Promise<{ address: WorkerAddress; close(): Promise<void> }> {
  const bundle = process.env[BUNDLE_DIR] ?? (await keptBundle());
  const outside = new OutsideWorld();
  const worker = await startWorker(bundle, outside);
  const control = await startControlServer(worker, outside);
  const { origin, adminToken, trust, bindingsOrigin, holdsOrigin } = worker;
  return {
    address: { origin, adminToken, trust, bundle, bindingsOrigin, holdsOrigin, controlOrigin: control.origin },
    async close() {
      try {
        if (process.env[D1_FAULTS]) sayFaults(worker);
        await checkRecordedEvents(askAt(bindingsOrigin));
      } finally {
        await control.close();
        await worker.close();
      }
    },
  };
}

/** Says how often D1 has failed, so that a run without faults does not look like one with them. */
function sayFaults({ logs }: RunningWorker): void {
  const { failed = 0, of = 0 } = logs.all({ event: 'd1-fault' }).at(-1) ?? {};
  console.log(`D1: ${failed} of ${of} round trips failed (D1_FAULTS=${process.env[D1_FAULTS]})`);
}
