import type { TestProject } from 'vitest/node';
import { askAt } from './bindings-client.ts';
import { startControlServer } from './control-server.ts';
import { D1_FAULTS } from './d1-faults.ts';
import { checkRecordedEvents } from './event-check.ts';
import { OutsideWorld } from './outside-world.ts';
import { type RunningWorker, startWorker, type Trust } from './start-worker.ts';
import { BUNDLE_DIR, keptBundle } from './worker-bundle.ts';

/** How a test file reaches this run's Worker; `inject('worker')` returns it. */
export interface WorkerAddress {
  /** The Worker's public origin, also its BASE_URL. */
  origin: string;
  adminToken: string;
  /** Where `control.ts` reaches the process with the Worker. */
  controlOrigin: string;
  /** Where `control.ts` reaches the Worker's bindings. */
  bindingsOrigin: string;
  /** Where `holdJobs` reaches the Worker. */
  holdsOrigin: string;
  /** Folder of the bundle, for Workers in their own runtimes. */
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

/** Each project loads this module separately, but all must share one Worker, so it is stored globally. */
const shared = globalThis as typeof globalThis & { sharedTestWorker?: SharedWorker };

/** Starts the real Worker before a project's first test, and stops it after the last project. */
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

/** Prints how often D1 failed, so that runs with and without faults can be told apart. */
function sayFaults({ logs }: RunningWorker): void {
  const { failed = 0, of = 0 } = logs.all({ event: 'd1-fault' }).at(-1) ?? {};
  console.log(`D1: ${failed} of ${of} round trips failed (D1_FAULTS=${process.env[D1_FAULTS]})`);
}
