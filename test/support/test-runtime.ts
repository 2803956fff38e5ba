import { join } from 'node:path';
import { convertV4MiniflareOptions, type Log, Miniflare, type V4WorkerOptions } from 'miniflare';
import { DATABASES } from './database-of.ts';
import { objectOfDatabase, type Place, placeDatabase } from './migrated-database.ts';
import type { TestDatabases } from './test-database.ts';
import { bindingsModules, recordedModules, workerOptions } from './worker-bundle.ts';

/** One line of the Worker's log, from workerd. */
export interface RuntimeLine {
  level: string;
  message: string;
}

export interface RuntimeOptions {
  /** Folder of the Workers from `bundleWorkers`. */
  bundle: string;
  /** The port on the loopback address, which BASE_URL must name. */
  port: number;
  /** Whether the port leads to `front` in `recorded-worker.ts`, without Miniflare's own Workers before it. */
  isDirect?: boolean;
  /** Variables and secrets in addition to those of `wrangler.toml`. */
  variables: Record<string, string>;
  /** Limits of rate limiters per period, by name. */
  limits?: Record<string, number>;
  /** Folder of databases, files and objects; `placeDatabases` creates the databases. */
  stateDir: string;
  onLine(line: RuntimeLine): void;
  /** Answers the Worker's outbound requests, instead of the network. */
  outside?: (request: Request) => Promise<Response>;
  /** Receives Miniflare's own messages. */
  log?: Log;
}

/** Where wrangler keeps a Worker's storage, too. */
export const RESOURCES = 'v3';
export const WORKER = 'worker';
export const BINDINGS = 'bindings';
/** The Worker's entrypoint that accepts the types of jobs to pause. */
export const HOLDS = 'holds';
/** The Worker's entrypoint for requests from outside. */
const FRONT = 'front';

/**
 * Starts the bundled Worker of `wrangler.toml` in workerd with all of its bindings, and next to it the Worker that
 * gives access to them.
 */
export async function startRuntime(options: RuntimeOptions): Promise<Miniflare> {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: options.isDirect ? 0 : options.port,
      cf: false,
      telemetry: { enabled: false },
      unsafeTriggerHandlers: true,
      unsafeInspectDurableObjects: true,
      logRequests: false,
      log: options.log,
      resourcePersistencePath: join(options.stateDir, RESOURCES),
      handleStructuredLogs: options.onLine,
      workers: [recordedWorker(options), bindingsWorker(options)],
    }),
  );
  try {
    await runtime.ready;
    return runtime;
  } catch (error) {
    await runtime.dispose();
    throw error;
  }
}

/** Test databases in addition to those in `wrangler.toml`. */
const MORE_DATABASES = Object.fromEntries(DATABASES.map((name) => [name, { id: name }]));

/** Where Miniflare stores the objects of `TestDatabase`. */
export const PLACE: Place = ['do', `${BINDINGS}-TestDatabase`];

/** Puts migrated databases into a runtime's state folder that has none yet. */
export async function placeDatabases(stateDir: string, bundle: string, place = PLACE): Promise<void> {
  for (const database of Object.values(bindingsOfConfig(bundle).d1Databases)) {
    await placeDatabase(join(stateDir, RESOURCES), place, database.id);
  }
}

/** Returns the bindings for `askTestDatabases`, in Miniflare's format. */
function testDatabases(d1Databases: Record<string, { id: string }>) {
  const ids = mapValues(d1Databases, ({ id }) => objectOfDatabase(PLACE, id));
  const objects = { className: 'TestDatabase', scriptName: BINDINGS, useSQLite: true };
  return {
    objects: { TEST_DATABASES: objects } satisfies Record<'TEST_DATABASES', unknown>,
    ids: { TEST_DATABASE_IDS: ids } satisfies Omit<TestDatabases, 'TEST_DATABASES'>,
  };
}

/** Returns Miniflare's options for `wrangler.toml`; the two packages' types are incompatible. */
const bindingsOfConfig = (bundle: string) => {
  const { modulesRules: _, d1Databases, ...worker } = workerOptions(bundle);
  return { ...worker, d1Databases: { ...MORE_DATABASES, ...(d1Databases as object) } } as unknown as Record<
    string,
    unknown
  > & {
    bindings: Record<string, unknown>;
    d1Databases: Record<string, { id: string }>;
    durableObjects: Record<string, object>;
    queueProducers: Record<string, { queueName: string }>;
    queueConsumers: Record<string, { deadLetterQueue?: string }>;
    ratelimits: Record<string, { simple: { limit: number; period: number } }>;
  };
};

const mapValues = <In, Out>(record: Record<string, In>, map: (value: In, name: string) => Out): Record<string, Out> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));

function recordedWorker(options: RuntimeOptions): V4WorkerOptions {
  const { bundle, port, isDirect = false, variables, limits = {}, outside } = options;
  const worker = bindingsOfConfig(bundle);
  const databases = testDatabases(worker.d1Databases);
  return {
    ...worker,
    ...recordedModules(bundle),
    name: WORKER,
    bindings: { ...worker.bindings, ...variables, ...databases.ids },
    durableObjects: { ...worker.durableObjects, ...databases.objects },
    // Don't wait a second for more messages; `holdJobs` is for tests that must act before a job.
    queueConsumers: mapValues(worker.queueConsumers, (consumer) => ({ ...consumer, maxBatchTimeout: 0 })),
    ratelimits: mapValues(worker.ratelimits, ({ simple, ...limiter }, name) => ({
      ...limiter,
      simple: { ...simple, limit: limits[name] ?? simple.limit },
    })),
    ...(outside ? { outboundService: outside } : {}),
    unsafeDirectSockets: [
      { host: '127.0.0.1', port: 0, entrypoint: HOLDS },
      ...(isDirect ? [{ host: '127.0.0.1', port, entrypoint: FRONT }] : []),
    ],
  } as unknown as V4WorkerOptions;
}

/**
 * Returns a Worker with the same bindings as the one under test, plus one for the queue that only the platform fills.
 */
function bindingsWorker({ bundle, variables }: RuntimeOptions): V4WorkerOptions {
  const { compatibilityDate, d1Databases, r2Buckets, queueProducers, queueConsumers } = bindingsOfConfig(bundle);
  const databases = testDatabases(d1Databases);
  const queueName = Object.values(queueConsumers).find(({ deadLetterQueue }) => deadLetterQueue)?.deadLetterQueue;
  return {
    ...bindingsModules(bundle),
    name: BINDINGS,
    compatibilityDate,
    d1Databases,
    r2Buckets,
    queueProducers: { ...queueProducers, DEAD_LETTERS: { queueName } },
    bindings: { ...variables, ...databases.ids },
    durableObjects: databases.objects,
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  } as unknown as V4WorkerOptions;
}
