import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { vi } from 'vitest';
import { createDevelopmentAuthority, type DevelopmentAuthority } from '../../scripts/development-ca.ts';
import worker, { BundleObject, GooglePaceObject, ProcessObject, RequestCounterObject } from '../../src/index.ts';
import type { Env } from '../../src/platform/env.ts';
import { type D1Fault, D1Faults } from './d1-faults.ts';
import { d1Around, faultyD1 } from './d1-over.ts';
import { memoryBucket } from './memory-bucket.ts';
import { memoryD1 } from './memory-d1.ts';
import { MortalObjects } from './mortal-objects.ts';
import { Random } from './random.ts';
import { type Unreliable, UnreliableQueues } from './unreliable-queues.ts';

/** The faults of a run. */
export interface Faults extends Unreliable {
  seed?: number;
  /** One in this many round trips to D1 fails; absent: none. */
  d1OneIn?: number;
  /** One in this many calls of Durable Objects causes a crash; absent: none. */
  diesOneIn?: number;
  /** Number of databases; absent: one. */
  databases?: number;
}

/** A reply of the API. */
export interface ServiceReply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what stands in a reply is what the tests are there to find out
  body: any;
  headers: Headers;
}

const SEED = 20261123;
const START = Date.parse('2026-11-23T08:00:00Z');
const MINUTE_MS = 60_000;
const ADMIN_TOKEN = 'operator';
/** Timers of pauses. Shorter ones are those of tests, and longer ones are time limits, or wait for others to join. */
const PAUSE_MS = { min: 50, max: 2_500 };
/** Simulated time stands still during a pause, so its length only makes the test slower. */
const PAUSES_SHORTENED = 20;
const machineTimeout = globalThis.setTimeout;
export const ORIGIN = 'https://passes.example';

/** Certificates by pass type and day: the keys of their issuers take a tenth of a second. */
const authorities = new Map<string, Promise<DevelopmentAuthority>>();

function authorityFor(passTypeId: string): Promise<DevelopmentAuthority> {
  const name = `${passTypeId} ${new Date().toISOString().slice(0, 10)}`;
  const made =
    authorities.get(name) ??
    createDevelopmentAuthority({ passTypeId, teamId: 'TESTTEAM01', organizationName: 'Example', keyType: 'ec' });
  authorities.set(name, made);
  return made;
}

/**
 * The Worker with its routes, consumers, cron tasks and Durable Objects in this process, with in-memory SQLite,
 * simulated queues and simulated time. From `begin` on, its dependencies fail according to `faults`.
 */
export class ServiceInProcess {
  readonly queues: UnreliableQueues;
  readonly processes: MortalObjects;
  readonly d1Faults: D1Faults | undefined;
  readonly env: Env;
  /** Images that were drawn. */
  drawn = 0;
  apiKey = '';
  accountId = '';
  #databases: ReadonlyMap<string, ReturnType<typeof memoryD1>>;
  #hasBegun = false;
  #nextFault: D1Fault['when'] | undefined;
  #running = new Set<Promise<unknown>>();

  constructor({ seed = SEED, d1OneIn, diesOneIn = 0, databases = 1, ...unreliable }: Faults = {}) {
    vi.useFakeTimers({ toFake: ['Date'], now: START });
    vi.stubGlobal('setTimeout', (run: () => void, ms = 0, ...given: []) =>
      machineTimeout(run, ms < PAUSE_MS.min || ms > PAUSE_MS.max ? ms : ms / PAUSES_SHORTENED, ...given),
    );
    // Silences the lines for each request, job and task.
    for (const level of ['log', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => {});
    const random = new Random(seed);
    this.queues = new UnreliableQueues(random, unreliable);
    const names = Array.from({ length: databases }, (_, i) => (i === 0 ? 'DB' : `DB_${i}`));
    this.#databases = new Map(names.map((name) => [name, memoryD1()]));
    this.d1Faults = d1OneIn === undefined ? undefined : new D1Faults(seed, d1OneIn);
    const objects = (make: ConstructorParameters<typeof MortalObjects>[0], dies = 0) =>
      new MortalObjects(make, () => this.env, random, dies);
    this.processes = objects(ProcessObject, diesOneIn);
    const admits = { limit: async () => ({ success: true }) };
    this.env = {
      ...Object.fromEntries([...this.#databases].map(([name, { d1 }]) => [name, this.#unreliable(d1)])),
      FILES: memoryBucket(),
      ...this.queues.bindings(),
      IMAGES: this.#images(),
      BUNDLES: objects(BundleObject).binding,
      PROCESSES: this.processes.binding,
      REQUEST_COUNTERS: objects(RequestCounterObject).binding,
      GOOGLE_PACE: objects(GooglePaceObject).binding,
      RATE_LIMITER: admits,
      RATE_LIMIT_PER_MINUTE: '600',
      BASE_URL: ORIGIN,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      ADMIN_TOKEN,
    } as unknown as Env;
  }

  #unreliable(d1: D1Database): D1Database {
    const faulty = this.d1Faults ? faultyD1(d1, this.d1Faults) : this.#failingNext(d1);
    // The product only opens sessions of a database.
    return { withSession: () => (this.#hasBegun ? faulty : d1).withSession() } as unknown as D1Database;
  }

  /** Opens the databases, and creates the account for requests in the last one. */
  async open(): Promise<this> {
    const others = [...this.#databases.keys()].slice(1);
    for (const name of others) await this.admin('database open', { name });
    const { accountId, apiKey } = await this.newAccount(others.at(-1));
    this.accountId = accountId;
    this.apiKey = apiKey;
    return this;
  }

  newAccount(database = 'DB'): Promise<{ accountId: string; apiKey: string }> {
    return this.admin('account create', { name: 'Faults', database });
  }

  /** Imports a development certificate for this pass type, and returns its identifier. */
  async importCertificate(passTypeId: string): Promise<string> {
    const { rootPem: _, ...files } = await authorityFor(passTypeId);
    const options = { ...files, development: true };
    return (await this.admin<{ certificateId: string }>('certificate import', options)).certificateId;
  }

  /** Enables faults. */
  begin(): void {
    this.#hasBegun = true;
  }

  /** Disables faults. */
  end(): void {
    this.#hasBegun = false;
  }

  async admin<Result>(command: string, options: Record<string, unknown>): Promise<Result> {
    const body = JSON.stringify({ command, options });
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' };
    const request = new Request('http://localhost/admin/commands', { method: 'POST', headers, body });
    const response = await worker.fetch(request, this.env, this.#execution());
    if (!response.ok) throw new Error(`${command}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Result;
  }

  /** Sends an API request of the account. Also waits for the work after its reply. */
  async request(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<ServiceReply> {
    const own = { Authorization: this.apiKey, 'Content-Type': 'application/json', ...headers };
    return this.send(method, path, body && JSON.stringify(body), own);
  }

  /** Sends anybody's request to any surface, like `request`. */
  async send(
    method: string,
    path: string,
    body: string | undefined,
    headers: Record<string, string>,
  ): Promise<ServiceReply> {
    const request = new Request(`${ORIGIN}${path}`, { method, headers, body });
    const response = await worker.fetch(request, this.env, this.#execution());
    const text = await response.text();
    await this.#untilIdle();
    const isJson = /\bjson\b/.test(response.headers.get('Content-Type') ?? '');
    const read = isJson && text !== '' ? JSON.parse(text) : text;
    return { status: response.status, body: read, headers: response.headers };
  }

  /** Runs work whose first write round trip fails, `before` or `after` its commit. Throws if there was none. */
  async failingNextWrite<T>(when: D1Fault['when'], work: () => Promise<T>): Promise<T> {
    this.#nextFault = when;
    this.begin();
    const result = await work();
    if (this.#nextFault !== undefined) throw new Error('nothing was written');
    this.end();
    return result;
  }

  #failingNext(d1: D1Database): D1Database {
    return d1Around(d1, async (work, statements) => {
      const fault = this.#nextFault;
      if (fault === undefined || statements.every(({ sql }) => /^\s*select/i.test(sql))) return work();
      this.#nextFault = undefined;
      if (fault === 'after') await work();
      throw new Error('D1_ERROR: Network connection lost.');
    });
  }

  /** Returns a statement's rows from all databases, without faults. */
  async rows<Row = Record<string, unknown>>(sql: string, params: unknown[] = []): Promise<Row[]> {
    const rows: Row[] = [];
    for (const { d1 } of this.#databases.values()) {
      const statement = d1.prepare(sql).bind(...params);
      rows.push(...(await statement.all<Row>()).results);
    }
    return rows;
  }

  /** Returns the count that a statement selects, in all databases together. */
  async count(sql: string, params: unknown[] = []): Promise<number> {
    const rows = await this.rows<Record<string, number>>(sql, params);
    return rows.reduce((sum, row) => sum + Object.values(row)[0]!, 0);
  }

  /** Simulates minutes: delivers due messages, runs alarms, and runs the cron every minute. */
  async minutes(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.#minute();
  }

  /** Simulates minutes until `isDone`, and returns their number; fails after `most`. */
  async until(isDone: () => Promise<boolean>, most = 240): Promise<number> {
    for (let passed = 0; passed <= most; passed++) {
      await this.#deliver();
      if (await isDone()) return passed;
      await this.#minute();
    }
    throw new Error(`did not happen within ${most} minutes`);
  }

  async #minute(): Promise<void> {
    await this.#deliver();
    vi.setSystemTime(Date.now() + MINUTE_MS);
    await this.processes.ring();
    await worker.scheduled({} as never, this.env, this.#execution());
    await this.#untilIdle();
    await this.#deliver();
  }

  async #deliver(): Promise<void> {
    await this.processes.ring();
    for (let batch = this.queues.next(); batch; batch = this.queues.next()) {
      await worker.queue(batch, this.env, this.#execution());
      await this.#untilIdle();
    }
  }

  async #untilIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
  }

  #images(): ImagesBinding {
    const draw = async (stream: ReadableStream, { width, height }: { width: number; height: number }) => {
      this.drawn += 1;
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      const png = await sharp(bytes).resize(width, height).png().toBuffer();
      return { response: () => new Response(new Uint8Array(png)) };
    };
    const input = (stream: ReadableStream) => ({
      transform: (size: { width: number; height: number }) => ({ output: () => draw(stream, size) }),
    });
    // Nobody uses anything else of it.
    return { input } as unknown as ImagesBinding;
  }

  #execution(): ExecutionContext {
    const waitUntil = (work: Promise<unknown>) => {
      const ended = work.finally(() => this.#running.delete(ended)).catch(() => undefined);
      this.#running.add(ended);
    };
    return { waitUntil, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
  }

  close(): void {
    vi.useRealTimers();
    for (const { database } of this.#databases.values()) database.close();
  }
}
