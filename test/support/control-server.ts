import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { fetchWorker } from './fetch-worker.ts';
import type { LogLine } from './log-book.ts';
import type { OutsideWorld } from './outside-world.ts';
import type { RunningWorker } from './start-worker.ts';
import { WORKER } from './test-runtime.ts';

/** Requests that test files, which run in their own processes, can make to the process with the Worker. */
export interface Controls {
  findLog: { in: { fields: LogLine; deadlineMillis: number }; out: LogLine | null };
  allLogs: { in: { fields: LogLine }; out: LogLine[] };
  /** `databases` are those besides the directory in which it runs. */
  scheduled: { in: { atMillis: number; databases: string[] }; out: { outcome: string } };
  evictObject: { in: ObjectName; out: null };
  objectSql: {
    in: ObjectName & { statement: string; params: (string | number | null)[] };
    out: Record<string, unknown>[];
  };
  registerHost: { in: { hostname: string; origin?: string }; out: null };
}

/** A Durable Object, by its binding and name. */
export interface ObjectName {
  binding: 'PROCESSES' | 'BUNDLES';
  name: string;
}

/** Classes of the Durable Objects by binding, as in `wrangler.toml`. */
const OBJECT_CLASSES = { PROCESSES: 'ProcessObject', BUNDLES: 'BundleObject' } as const;

type Control = keyof Controls;
type Handlers = { [Name in Control]: (input: Controls[Name]['in']) => Promise<Controls[Name]['out']> };

/** Opens the controls on a loopback port: `POST /<name>` with JSON input answers JSON output. */
export async function startControlServer(worker: RunningWorker, outside: OutsideWorld) {
  const handlers = handlersOf(worker, outside);
  const server = createServer(async (request, response) => {
    try {
      const handle = handlers[request.url?.slice(1) as Control] as (input: unknown) => Promise<unknown>;
      const output = await handle(await json(request));
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(output));
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.message : String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const TICK_DEADLINE_MILLIS = 30_000;

function handlersOf({ runtime, logs, holdsOrigin }: RunningWorker, outside: OutsideWorld): Handlers {
  /** By database. Each run of the cron has one tick in each of its databases. */
  const ticks = new Map<string, number>();
  return {
    findLog: async ({ fields, deadlineMillis }) => (await logs.find(fields, deadlineMillis)) ?? null,
    allLogs: async ({ fields }) => logs.all(fields),
    async scheduled({ atMillis, databases }) {
      const url = new URL('/ticks', holdsOrigin);
      await fetchWorker(url, { method: 'POST', headers: {}, body: JSON.stringify(databases) });
      const query = new URLSearchParams({ format: 'json', cron: '* * * * *', time: String(atMillis) });
      const reply = await runtime.dispatchFetch(`http://127.0.0.1/cdn-cgi/local/scheduled?${query}`);
      const ended = (await reply.json()) as { outcome: string };
      await Promise.all(
        databases.map((name) => {
          const count = (ticks.get(name) ?? 0) + 1;
          ticks.set(name, count);
          return logs.ticked(name, count, TICK_DEADLINE_MILLIS);
        }),
      );
      return ended;
    },
    async evictObject({ binding, name }) {
      await runtime.unsafeEvictDurableObject(WORKER, OBJECT_CLASSES[binding], { name });
      return null;
    },
    async objectSql({ binding, name, statement, params }) {
      const storage = await runtime.unsafeGetDurableObjectStorage(WORKER, OBJECT_CLASSES[binding], { name });
      return storage.exec(statement, ...params);
    },
    async registerHost({ hostname, origin }) {
      outside.register(hostname, origin);
      return null;
    },
  };
}
