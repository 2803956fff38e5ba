import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from 'miniflare';
import { unstable_getMiniflareWorkerOptions, unstable_readConfig, unstable_splitSqlQuery } from 'wrangler';
import { buildClients } from '../scripts/build-clients.ts';
import { buildWorker as bundleWorker } from '../scripts/build-worker.ts';
import { ROOT } from '../scripts/settings.ts';
import { childrenNamed } from './processors.ts';

/** A Worker to start. */
export interface BuiltWorker {
  /** Folder of its modules. */
  folder: string;
  /** Whether it exports the Durable Objects that `wrangler.toml` names. */
  hasObjects: boolean;
  /** Variables and secrets in addition to those of `wrangler.toml`. */
  variables?: Record<string, string>;
  /** Whether it consumes its own queues. */
  consumes?: boolean;
  /** Names of its databases, instead of those in `wrangler.toml`. */
  databases?: string[];
  /** Scripts of small Workers bound to it, by binding name. */
  services?: Record<string, string>;
}

/** Workers in one workerd process, sharing a database and bucket. */
export interface RunningWorkers<Name extends string> {
  origins: Record<Name, string>;
  database: D1Database;
  /** Returns any database of the first Worker. */
  databaseNamed(name: string): Promise<D1Database>;
  files: R2Bucket;
  /** Sends a message to a queue bound to a Worker. */
  produce: Record<Name, (binding: string, body: unknown) => Promise<void>>;
  /** Process identifier of workerd. */
  pid: number;
  stop(): Promise<void>;
}

/** The Worker's entry module. */
const BUNDLE = 'index.js';
const CONFIG = join(ROOT, 'wrangler.toml');
/**
 * Stands in for the Rate Limiting binding. The deployed one counts in memory, but the local emulation writes to SQLite,
 * at the cost of a D1 statement. This one counts and never limits.
 */
const LIMITER = 'limiter';
const LIMITER_SCRIPT = `
import { WorkerEntrypoint } from 'cloudflare:workers';
const counts = new Map();
export class Limiter extends WorkerEntrypoint {
  limit({ key }) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return { success: counts.get(key) > 0 };
  }
}
export default {};`;

/**
 * Bundles a Worker: the product, or another `entry`, which has the product's Durable Objects if its options say so. It
 * has the parts of a local service, which run only with ADMIN_TOKEN, as in most benchmarks.
 */
export async function buildWorker(
  folder: string,
  entry?: string,
  { hasObjects = entry === undefined } = {},
): Promise<BuiltWorker> {
  await buildClients();
  await bundleWorker(entry ?? 'src/index.ts', folder, { isLocal: true });
  return { folder, hasObjects };
}

/**
 * Starts Workers with the bindings of `wrangler.toml`, each on its own port without wrangler's proxy. No cron runs, and
 * queues are consumed only if a Worker asks for it, so that only requests are measured. `stateDir` keeps database and
 * bucket; `log` gets each info line.
 */
export async function startWorkers<Name extends string>(
  workers: Record<Name, BuiltWorker>,
  stateDir: string,
  log: (line: string) => void = () => {},
): Promise<RunningWorkers<Name>> {
  const names = Object.keys(workers) as Name[];
  const others = childrenNamed('workerd');
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      telemetry: { enabled: false },
      resourcePersistencePath: stateDir,
      handleStructuredLogs: ({ level, message }) => {
        if (level === 'error' || level === 'warn') console.error(message);
        else log(message);
      },
      workers: [
        ...names.map((name) => workerOptions(name, workers[name])),
        ...names.flatMap((name) => serviceOptions(name, workers[name])),
        limiterOptions(),
      ],
    }),
  );
  try {
    await miniflare.ready;
    const origin = async (name: Name) => [name, (await miniflare.unsafeGetDirectURL(name)).origin] as const;
    return {
      origins: Object.fromEntries(await Promise.all(names.map(origin))) as Record<Name, string>,
      database: (await miniflare.getD1Database('DB', names[0])) as D1Database,
      databaseNamed: async (name) => (await miniflare.getD1Database(name, names[0])) as D1Database,
      // Miniflare types its replies with undici's `Headers`, the Worker with the runtime's.
      files: (await miniflare.getR2Bucket('FILES', names[0])) as unknown as R2Bucket,
      produce: Object.fromEntries(
        names.map((name) => [
          name,
          async (binding: string, body: unknown) => {
            await (await miniflare.getQueueProducer(binding, name)).send(body);
          },
        ]),
      ) as RunningWorkers<Name>['produce'],
      pid: childrenNamed('workerd').find((pid) => !others.includes(pid)) ?? Number.NaN,
      stop: () => miniflare.dispose(),
    };
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
}

function workerOptions(name: string, built: BuiltWorker): V4WorkerOptions {
  const { folder, hasObjects, variables, consumes = false, services = {}, databases } = built;
  const { modulesRules: _, ...options } = unstable_getMiniflareWorkerOptions(CONFIG).workerOptions;
  const limiters = Object.keys(options.ratelimits as object);
  const limiter = { name: LIMITER, entrypoint: 'Limiter' };
  return {
    ...options,
    name,
    rootPath: folder,
    modulesRoot: folder,
    modules: modulesOf(folder),
    ...(databases && { d1Databases: Object.fromEntries(databases.map((id) => [id, { id }])) }),
    bindings: { ...(options.bindings as object), ...variables },
    ratelimits: {},
    durableObjects: hasObjects ? options.durableObjects : {},
    additionalUnboundDurableObjects: hasObjects ? options.additionalUnboundDurableObjects : [],
    serviceBindings: {
      ...Object.fromEntries(limiters.map((binding) => [binding, limiter])),
      ...Object.fromEntries(Object.keys(services).map((binding) => [binding, serviceName(name, binding)])),
    },
    queueConsumers: consumes ? options.queueConsumers : {},
    cronTriggers: [],
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  } as V4WorkerOptions;
}

const serviceName = (name: string, binding: string) => `${name}-${binding.toLowerCase()}`;

function serviceOptions(name: string, { services = {} }: BuiltWorker): V4WorkerOptions[] {
  const { compatibilityDate } = unstable_readConfig({ config: CONFIG });
  return Object.entries(services).map(([binding, script]) => ({
    name: serviceName(name, binding),
    compatibilityDate,
    modules: true,
    script,
  }));
}

function limiterOptions(): V4WorkerOptions {
  const { compatibilityDate } = unstable_readConfig({ config: CONFIG });
  return { name: LIMITER, compatibilityDate, modules: true, script: LIMITER_SCRIPT };
}

/** Returns wrangler's output in a folder: the bundle, and files that are modules of other types. */
function modulesOf(folder: string) {
  const types = { '.js': 'ESModule', '.wasm': 'CompiledWasm', '.bin': 'Data' } as const;
  return readdirSync(folder)
    .filter((file) => file !== 'README.md' && !file.endsWith('.map'))
    .sort((a, b) => Number(b === BUNDLE) - Number(a === BUNDLE))
    .map((file) => ({
      type: types[extname(file) as keyof typeof types] ?? 'Text',
      path: join(folder, file),
      contents: readFileSync(join(folder, file)),
    }));
}

/** Applies every migration to an empty database. */
export async function migrate(database: D1Database): Promise<void> {
  const folder = join(ROOT, 'migrations');
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith('.sql')) continue;
    const statements = unstable_splitSqlQuery(readFileSync(join(folder, file), 'utf8'));
    await database.batch(statements.map((sql) => database.prepare(sql)));
  }
}
