import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';

/** A request to Cloudflare's API, below the account. */
export interface ApiRequest {
  method: string;
  /** Without the account and the query. */
  path: string;
  query: URLSearchParams;
  body: Buffer;
}

interface Refusal {
  matches: (request: ApiRequest) => boolean;
  status: number;
  message: string;
}

export const ACCOUNT_ID = 'a'.repeat(32);
export const API_TOKEN = 'a-token-of-cloudflare';
/** Entries per page, few enough that a deployment's lists have several pages. */
const PAGE_SIZE = 3;

type Json = unknown;
type Handler = (request: ApiRequest, ...parts: string[]) => Json | Promise<Json>;

class NotFound extends Error {}

/**
 * A stand-in for the parts of Cloudflare's API that the scripts and wrangler use: databases on SQLite, buckets, queues,
 * and Workers with their secrets. Other requests are recorded in `unknown`.
 */
export class CloudflareStandIn {
  readonly requests: ApiRequest[] = [];
  readonly unknown: string[] = [];
  /** By identifier. */
  readonly databases = new Map<string, { name: string; database: DatabaseSync }>();
  readonly buckets = new Map<string, { rules: { id: string }[] }>();
  readonly queues = new Map<string, { id: string; consumers: object[] }>();
  /** The upload of each deployment, oldest first. */
  readonly uploads: { worker: string; metadata: { bindings: Binding[] } }[] = [];
  /** By Worker and secret name. */
  readonly secrets = new Map<string, Map<string, string>>();
  /** The request to reject from now on. */
  refusal: Refusal | undefined;
  /** Answers requests outside the API: the deployed Worker. */
  worker: ((request: Request) => Promise<Response>) | undefined;
  origin = '';
  #server = createServer((request, response) => {
    void this.#answer(request).then(async (reply) => {
      response.writeHead(reply.status, Object.fromEntries(reply.headers));
      response.end(Buffer.from(await reply.arrayBuffer()));
    });
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    for (const { database } of this.databases.values()) database.close();
  }

  /** Returns the variables that make wrangler and the scripts connect here. */
  get environment(): Record<string, string> {
    const CLOUDFLARE_API_BASE_URL = `${this.origin}/client/v4`;
    return { CLOUDFLARE_API_BASE_URL, CLOUDFLARE_API_TOKEN: API_TOKEN, CLOUDFLARE_ACCOUNT_ID: ACCOUNT_ID };
  }

  /** Returns the write requests since the last call, as `METHOD /path`. */
  takeWrites(): string[] {
    const writes = this.requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/query'));
    this.requests.length = 0;
    return writes.map(({ method, path }) => `${method} ${path}`);
  }

  databaseNamed(name: string): DatabaseSync {
    return [...this.databases.values()].find((one) => one.name === name)!.database;
  }

  /** Runs the statements of one round trip atomically. */
  run(database: DatabaseSync, statements: { sql: string; params?: unknown[] }[]) {
    database.exec('begin');
    try {
      const results = statements.map(({ sql, params = [] }) => {
        // A migration file has many statements, which return nothing.
        const isScript = params.length === 0 && !/^\s*(select|with|pragma)\b/i.test(sql);
        const rows = isScript ? void database.exec(sql) : database.prepare(sql).all(...(params as SQLInputValue[]));
        return { results: rows ?? [], success: true, meta: { rows_read: 0, rows_written: 0, changes: 0, duration: 0 } };
      });
      database.exec('commit');
      return results;
    } catch (error) {
      database.exec('rollback');
      throw error;
    }
  }

  async #answer(incoming: IncomingMessage): Promise<Response> {
    const { method = 'GET', headers } = incoming;
    const url = new URL(incoming.url!, this.origin);
    const body = await buffer(incoming);
    if (!url.pathname.startsWith('/client/v4/')) {
      const init = { method, headers: headers as Record<string, string>, ...(body.length > 0 && { body }) };
      const gone = new Response('There is no Worker here', { status: 530 });
      return (
        (await this.worker?.(new Request(url, init)).catch((error) => new Response(String(error), { status: 500 }))) ??
        gone
      );
    }
    if (headers.authorization !== `Bearer ${API_TOKEN}`) return failure(401, 10_000, 'Authentication error');
    const path = url.pathname.replace('/client/v4', '').replace(`/accounts/${ACCOUNT_ID}`, '');
    const request = { method, path, query: url.searchParams, body };
    this.requests.push(request);
    if (this.refusal?.matches(request)) return failure(this.refusal.status, 1_000, this.refusal.message);
    try {
      return await this.#result(request);
    } catch (error) {
      if (error instanceof NotFound) return failure(404, 10_007, error.message || 'Not found');
      return failure(400, 7_500, (error as Error).message);
    }
  }

  async #result(request: ApiRequest): Promise<Response> {
    for (const [pattern, handler] of Object.entries(this.#routes())) {
      const [method, path] = pattern.split(' ') as [string, string];
      const parts = new RegExp(`^${path}$`).exec(request.path);
      if (!parts || method !== request.method) continue;
      const result = await handler(request, ...parts.slice(1));
      return result instanceof Response ? result : success(result, request);
    }
    this.unknown.push(`${request.method} ${request.path}`);
    return failure(404, 7_003, `No stand-in for ${request.method} ${request.path}`);
  }

  #routes(): Record<string, Handler> {
    return { ...this.#accountRoutes(), ...this.#storageRoutes(), ...this.#queueRoutes(), ...this.#workerRoutes() };
  }

  #accountRoutes(): Record<string, Handler> {
    return {
      'GET /accounts': () => [{ id: ACCOUNT_ID, name: 'Example' }],
      'GET /workers/subdomain': () => ({ subdomain: 'example' }),
      'GET /memberships': () => [{ account: { id: ACCOUNT_ID, name: 'Example' } }],
    };
  }

  #storageRoutes(): Record<string, Handler> {
    return {
      'GET /d1/database': ({ query }) =>
        [...this.databases]
          .map(([uuid, { name }]) => ({ uuid, name, version: 'production' }))
          // A prefix search: also returns longer names.
          .filter(({ name }) => name.startsWith(query.get('name') ?? '')),
      'POST /d1/database': ({ body }) => {
        const { name } = JSON.parse(String(body));
        if ([...this.databases.values()].some((one) => one.name === name)) throw new Error('it exists already');
        const uuid = crypto.randomUUID();
        this.databases.set(uuid, { name, database: new DatabaseSync(':memory:') });
        return { uuid, name };
      },
      'GET /d1/database/([^/]+)': (_, id) => ({ uuid: id, name: this.#database(id!).name }),
      'POST /d1/database/([^/]+)/query': ({ body }, id) => {
        const { batch, ...single } = JSON.parse(String(body));
        return this.run(this.#database(id!).database, batch ?? [single]);
      },
      'GET /r2/buckets/([^/]+)': (_, name) => ({ name, ...this.#bucket(name!) }),
      'POST /r2/buckets': ({ body }) => {
        const { name } = JSON.parse(String(body));
        if (this.buckets.has(name)) throw new Error('it exists already');
        this.buckets.set(name, { rules: [{ id: 'Default Multipart Abort Rule' }] });
        return { name };
      },
      'GET /r2/buckets/([^/]+)/lifecycle': (_, name) => this.#bucket(name!),
      'PUT /r2/buckets/([^/]+)/lifecycle': ({ body }, name) =>
        Object.assign(this.#bucket(name!), JSON.parse(String(body))),
    };
  }

  #queueRoutes(): Record<string, Handler> {
    return {
      'GET /queues': ({ query }) =>
        [...this.queues]
          .map(([queue_name, { id, consumers }]) => ({ queue_id: id, queue_name, consumers, producers: [] }))
          .filter(({ queue_name }) => (query.get('name') ?? queue_name) === queue_name),
      'POST /queues': ({ body }) => {
        const { queue_name: name } = JSON.parse(String(body));
        if (this.queues.has(name)) throw new Error('it exists already');
        this.queues.set(name, { id: `queue-${this.queues.size}`, consumers: [] });
        return { queue_name: name };
      },
      'POST /queues/([^/]+)/consumers': ({ body }, id) => {
        const queue = [...this.queues.values()].find((one) => one.id === id)!;
        const consumer = { consumer_id: crypto.randomUUID(), type: 'worker', ...JSON.parse(String(body)) };
        queue.consumers.push({ ...consumer, script: consumer.script_name });
        return consumer;
      },
      'PUT /queues/([^/]+)/consumers/([^/]+)': ({ body }) => JSON.parse(String(body)),
    };
  }

  #workerRoutes(): Record<string, Handler> {
    const deployed = (name: string) => {
      const found = this.uploads.findLast(({ worker }) => worker === name);
      if (!found) throw new NotFound('This Worker does not exist on your account.');
      return found;
    };
    const secretsOf = (name: string) => [...(this.secrets.get(name) ?? new Map()).keys()];
    return {
      'GET /workers/services/([^/]+)': (_, name) => {
        deployed(name!);
        return {
          id: name,
          default_environment: {
            environment: 'production',
            script: { tag: 'tag', tags: [], last_deployed_from: 'wrangler' },
          },
        };
      },
      'GET /workers/workers/([^/]+)': (_, name) => ({
        id: name,
        name: deployed(name!).worker,
        subdomain: { enabled: true },
      }),
      'GET /workers/scripts/([^/]+)/secrets': (_, name) => {
        if (!this.secrets.has(name!)) deployed(name!);
        return secretsOf(name!).map((secret) => ({ name: secret, type: 'secret_text' }));
      },
      'GET /workers/scripts/([^/]+)/settings': (_, name) => {
        const { metadata } = deployed(name!);
        const secrets = secretsOf(name!).map((secret) => ({ name: secret, type: 'secret_text' }));
        return { bindings: [...metadata.bindings.filter(({ type }) => type !== 'secret_text'), ...secrets] };
      },
      'POST /workers/scripts/([^/]+)/assets-upload-session': () => ({ jwt: 'assets', buckets: [] }),
      'PUT /workers/scripts/([^/]+)': (request, name) => this.#upload(request, name!),
      'POST /workers/scripts/([^/]+)/versions': (request, name) => this.#upload(request, name!),
      'GET /workers/scripts/([^/]+)/deployments': (_, name) => {
        deployed(name!);
        const versions = this.uploads.filter(({ worker }) => worker === name).map((_one, i) => `version-${i}`);
        return {
          deployments: versions.toReversed().map((id) => ({
            id,
            source: 'wrangler',
            strategy: 'percentage',
            author_email: 'ada@example.com',
            created_on: new Date().toISOString(),
            versions: [{ version_id: id, percentage: 100 }],
          })),
        };
      },
      'GET /workers/scripts/([^/]+)/versions/([^/]+)': (_, name, id) => ({
        id,
        number: 1,
        metadata: { created_on: new Date().toISOString(), source: 'wrangler', author_email: 'ada@example.com' },
        resources: { bindings: deployed(name!).metadata.bindings, script: {}, script_runtime: {} },
      }),
      'POST /workers/scripts/([^/]+)/deployments': ({ body }) => ({ id: 'deployment', ...JSON.parse(String(body)) }),
      'PATCH /workers/scripts/([^/]+)/script-settings': () => ({}),
      'GET /workers/scripts/([^/]+)/subdomain': () => ({ enabled: true, previews_enabled: false }),
      'POST /workers/scripts/([^/]+)/subdomain': () => ({ enabled: true, previews_enabled: false }),
      'PUT /workers/scripts/([^/]+)/schedules': ({ body }) => ({ schedules: JSON.parse(String(body)) }),
    };
  }

  async #upload({ body }: ApiRequest, worker: string): Promise<Json> {
    const text = body.toString('latin1');
    const boundary = text.slice(2, text.indexOf('\r\n'));
    const type = `multipart/form-data; boundary=${boundary}`;
    const form = await new Response(new Uint8Array(body), { headers: { 'Content-Type': type } }).formData();
    const metadata = JSON.parse(String(form.get('metadata')));
    const kept = this.secrets.get(worker) ?? new Map<string, string>();
    for (const { type: kind, name, text: value } of metadata.bindings as Binding[]) {
      if (kind === 'secret_text') kept.set(name, value!);
    }
    this.secrets.set(worker, kept);
    this.uploads.push({ worker, metadata });
    const version = `version-${this.uploads.length - 1}`;
    return { id: worker, etag: version, deployment_id: version, startup_time_ms: 10, tag: 'tag', version_id: version };
  }

  #database(id: string) {
    const found = this.databases.get(id);
    if (!found) throw new NotFound('The database could not be found');
    return found;
  }

  #bucket(name: string) {
    const found = this.buckets.get(name);
    if (!found) throw new NotFound('The specified bucket does not exist.');
    return found;
  }
}

/** A binding of an uploaded Worker. */
export interface Binding {
  type: string;
  name: string;
  text?: string;
  id?: string;
}

function success(result: Json, { query }: ApiRequest): Response {
  if (!Array.isArray(result) || !query.has('page')) return Response.json({ success: true, errors: [], result });
  const page = Number(query.get('page'));
  const total = Math.max(1, Math.ceil(result.length / PAGE_SIZE));
  const part = result.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  const result_info = { page, per_page: PAGE_SIZE, total_count: result.length, total_pages: total };
  return Response.json({ success: true, errors: [], result: part, result_info });
}

function failure(status: number, code: number, message: string): Response {
  return Response.json({ success: false, errors: [{ code, message }], result: null }, { status });
}
