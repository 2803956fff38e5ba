import type { BoundDatabase } from '../bound-databases.ts';
import type { CloudflareApi } from './cloudflare-api.ts';

/** The part of `wrangler.toml` that names required resources. */
export interface NamedResources {
  d1_databases?: BoundDatabase[];
  r2_buckets?: { bucket_name?: string }[];
  queues?: { producers?: { queue: string }[]; consumers?: { queue: string; dead_letter_queue?: string }[] };
}

/** Location for new resources, such as `weur`. */
export type Location = string | undefined;

type Say = (line: string) => void;

/** Placeholder identifier in `wrangler.toml`. Local services use it; no deployed database has it. */
const UNSET_ID = /^0{8}-/;

/** Returns each database's identifier by binding. With `create`, creates missing databases. */
export async function resolveDatabases(
  api: CloudflareApi,
  { d1_databases: databases = [] }: NamedResources,
  create?: { location: Location; say: Say },
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const { binding, database_name: name, database_id: configured } of databases) {
    const id = configured && !UNSET_ID.test(configured) ? configured : await findDatabase(api, name);
    if (id !== undefined) ids.set(binding, id);
    else if (create) {
      create.say(`Creating the database ${name} …`);
      const location = create.location && { primary_location_hint: create.location };
      const { uuid } = await api.call<{ uuid: string }>('POST', '/d1/database', { name, ...location });
      ids.set(binding, uuid);
    }
  }
  return ids;
}

async function findDatabase(api: CloudflareApi, name: string): Promise<string | undefined> {
  const found = await api.list<{ uuid: string; name: string }>(`/d1/database?name=${encodeURIComponent(name)}`);
  return found.find((one) => one.name === name)?.uuid;
}

/** Pass files are rebuilt on request; see docs/operations.md#what-is-kept-for-how-long. */
const LIFECYCLE = {
  id: 'kept-pass-files',
  enabled: true,
  conditions: { prefix: 'pass-files/' },
  deleteObjectsTransition: { condition: { type: 'Age', maxAge: 90 * 24 * 60 * 60 } },
};

/** Creates missing buckets, and makes them expire pass files. */
export async function ensureBuckets(
  api: CloudflareApi,
  { r2_buckets: buckets = [] }: NamedResources,
  { location, say }: { location: Location; say: Say },
): Promise<void> {
  for (const { bucket_name: name } of buckets) {
    const path = `/r2/buckets/${name}`;
    if ((await api.find(path)) === undefined) {
      say(`Creating the bucket ${name} …`);
      await api.call('POST', '/r2/buckets', { name, ...(location && { locationHint: location }) });
    }
    const rules = (await api.find<{ rules?: { id: string }[] }>(`${path}/lifecycle`))?.rules ?? [];
    if (rules.some(({ id }) => id === LIFECYCLE.id)) continue;
    say(`Setting the lifecycle rule of ${name} …`);
    await api.call('PUT', `${path}/lifecycle`, { rules: [...rules, LIFECYCLE] });
  }
}

/** Creates missing queues, including those for dead letters. */
export async function ensureQueues(api: CloudflareApi, { queues = {} }: NamedResources, say: Say): Promise<void> {
  const { producers = [], consumers = [] } = queues;
  const named = [...producers, ...consumers].map(({ queue }) => queue);
  const deadLetters = consumers.flatMap(({ dead_letter_queue: queue }) => queue ?? []);
  for (const name of new Set([...named, ...deadLetters])) {
    const found = await api.list<{ queue_name: string }>(`/queues?name=${encodeURIComponent(name)}`);
    if (found.some((one) => one.queue_name === name)) continue;
    say(`Creating the queue ${name} …`);
    await api.call('POST', '/queues', { queue_name: name });
  }
}
