import { env } from 'cloudflare:workers';
import { AsyncLocalStorage } from 'node:async_hooks';
import { whileRunning } from '../../src/dev/activity.ts';
import { shiftDate } from '../../src/dev/clock/kept-clock.ts';
import worker from '../../src/index.ts';
import { setClockSteps } from '../../src/platform/clock.ts';
import type { Env } from '../../src/platform/env.ts';
import { CLOCK_AHEAD_MS } from './clock-ahead.ts';
import { D1_FAULTS, D1Faults } from './d1-faults.ts';
import { ROWS_MAX } from './large-changes.ts';
import { shapeOf } from './statement-shape.ts';
import { askTestDatabases } from './test-database.ts';

export * from '../../src/index.ts';

/*
 * The Worker of `src/index.ts`, which also logs each prepared statement once, for `LogBook`. The product only uses D1
 * sessions (`platform/db.ts`), and those of requests, jobs and Durable Objects share one class.
 */

askTestDatabases(env);

// The runtime doesn't type its bindings.
const aheadMs = Number((env as unknown as Record<string, string | undefined>)[CLOCK_AHEAD_MS] ?? 0);
if (aheadMs > 0) {
  setClockSteps([{ machineAt: 0, offsetMs: aheadMs }]);
  shiftDate();
}

const logged = new Set<string>();
// The runtime doesn't type its bindings.
const session = (env as unknown as Env).DB.withSession('first-primary');
const sessions: D1DatabaseSession = Object.getPrototypeOf(session);
const statements: D1PreparedStatement = Object.getPrototypeOf(session.prepare('select 1'));
const { prepare, batch } = sessions;
const { all } = statements;
sessions.prepare = function (this: D1DatabaseSession, sql: string) {
  if (!logged.has(sql)) {
    const statement = shapeOf(sql);
    if (!logged.has(statement)) console.log(JSON.stringify({ statement }));
    logged.add(sql).add(statement);
  }
  return prepare.call(this, sql);
};

/** A statement as bound by the runtime. */
type Bound = D1PreparedStatement & { statement: string };

/** Logs a statement that changed more rows than allowed; see `recordLine`. */
function logChange({ statement }: Bound, { meta }: D1Result): void {
  if (meta.changes > ROWS_MAX) console.log(JSON.stringify({ statement: shapeOf(statement), rows: meta.changes }));
}

sessions.batch = async function <T>(this: D1DatabaseSession, statements: D1PreparedStatement[]) {
  const results = await roundTrip(statements as Bound[], () => batch.call(this, statements));
  for (const [i, result] of results.entries()) logChange(statements[i] as Bound, result);
  return results as D1Result<T>[];
};
statements.all = async function <T>(this: D1PreparedStatement) {
  const result = await roundTrip([this as Bound], () => all.call(this));
  logChange(this as Bound, result);
  return result as D1Result<T>;
};

/*
 * Also keeps the counts of its rate limiters in memory, like the deployed binding. Miniflare writes them to SQLite,
 * which takes as long as one or two statements per request. Periods start with the clock, as in the deployed binding.
 */

interface RateLimiterBinding {
  limitVal: number;
  /** In seconds. */
  period: number;
  limit(options: { key: string }): Promise<RateLimitOutcome>;
}

/** By period and key. */
const counts = new WeakMap<RateLimiterBinding, Map<string, number>>();
const limiters: RateLimiterBinding = Object.getPrototypeOf((env as unknown as Env).RATE_LIMITER);
limiters.limit = async function (this: RateLimiterBinding, { key }: { key: string }) {
  const counted = `${Math.floor(Date.now() / (this.period * 1_000))} ${key}`;
  const known = counts.get(this) ?? new Map();
  const count = (known.get(counted) ?? 0) + 1;
  counts.set(this, known.set(counted, count));
  return { success: count <= this.limitVal };
};

/*
 * Its consumers wait for jobs that a test pauses.
 */

/** A request of `holdJobs`: pauses batches with jobs of these types, except this many. */
export interface HeldJobs {
  types: string[];
  admitted: number;
}

let held: HeldJobs = { types: [], admitted: 0 };
const HELD_LOOK_MILLIS = 10;

/*
 * Its time limits end early if a test skips them (`skippableLimits`).
 */

const { setTimeout: begin, clearTimeout: end } = globalThis;
const machineClock = performance.now.bind(performance);
/** Shorter timers are pauses. */
const LIMIT_MILLIS_MIN = 5_000;
const LIMIT_LOOK_MILLIS = 20;
let areSkippable = false;
let skippedMillis = 0;
/** The running timer of each limit, by its first one. */
const looking = new Map<unknown, unknown>();

// The clock that measures attempts.
performance.now = () => machineClock() + skippedMillis;
Object.assign(globalThis, {
  setTimeout(run: () => void, millis = 0, ...given: []) {
    if (!areSkippable || millis < LIMIT_MILLIS_MIN) return begin(run, millis, ...given);
    const over = performance.now() + millis;
    // Another request can't end this timer, so it looks whether it is over.
    const look = () => {
      if (performance.now() < over) return void looking.set(first, begin(look, LIMIT_LOOK_MILLIS));
      looking.delete(first);
      run();
    };
    const first = begin(look, LIMIT_LOOK_MILLIS);
    return first;
  },
  clearTimeout(timer: unknown) {
    end((looking.get(timer) ?? timer) as Parameters<typeof end>[0]);
    looking.delete(timer);
  },
});

/** Databases in which the cron runs, besides the directory. Running it elsewhere would only take time. */
let ticking: string[] | undefined;

/** A request of `skippableLimits`. */
export interface SkippedLimits {
  areSkippable: boolean;
  /** How much earlier the running ones end. */
  millis: number;
}

const skipMore = ({ areSkippable, millis }: SkippedLimits) => ({
  areSkippable,
  skippedMillis: skippedMillis + millis,
});

/** Receives, as JSON, what to pause from now on, at `/ticks` where the cron runs, and at `/limits` what to skip. */
export const holds = {
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/ticks') ticking = await request.json();
    else if (pathname === '/limits') ({ areSkippable, skippedMillis } = skipMore(await request.json()));
    else held = await request.json();
    return new Response();
  },
};

const isLeftOut = ({ body }: Message<{ type: string; database?: string }>) =>
  body?.type === 'tick' && ticking?.includes(body.database!) === false;

/** Passes a batch to the Worker, without ticks of databases in which the cron doesn't run. */
async function consume(...[batch, bindings, execution]: Given<'queue'>): Promise<void> {
  const messages = batch.messages as Message[] as Parameters<typeof isLeftOut>[0][];
  const leftOut = messages.filter(isLeftOut);
  if (leftOut.length === 0) return worker.queue(batch, bindings, execution);
  // A local service's clock waits for everything in progress.
  const bodies = leftOut.map(({ body }) => body);
  await whileRunning(bindings, async () => {}, bodies);
  const rest = { queue: batch.queue, messages: messages.filter((message) => !leftOut.includes(message)), ackAll() {} };
  if (rest.messages.length > 0) await worker.queue(rest as never, bindings, execution);
}

async function untilReleased({ messages }: MessageBatch<{ type: string }>): Promise<void> {
  const isHeld = () => messages.some(({ body }) => held.types.includes(body.type));
  while (isHeld() && !held.admitted) await scheduler.wait(HELD_LOOK_MILLIS);
  if (isHeld()) held.admitted -= 1;
}

/*
 * With D1_FAULTS, one round trip in twenty fails. Excluded are administration and the dev inbox, where a person
 * retries, and jobs and the cron, which retry after seconds or minutes: test/faults/ has a clock for them.
 */

const seed = (env as unknown as Record<string, string | undefined>)[D1_FAULTS];
const faults = seed ? new D1Faults(Number(seed)) : undefined;
const isSpared = new AsyncLocalStorage<boolean>();

/** A local service's replacements for mail and push providers, which don't fail with D1. */
const INBOX = /^insert into "(outbox_items|metric_points)"/;

/** Runs one round trip, which may fail. */
async function roundTrip<T>(statements: Bound[], work: () => Promise<T>): Promise<T> {
  if (!faults || isSpared.getStore() || statements.every(({ statement }) => INBOX.test(statement))) return work();
  const { failed } = faults;
  try {
    return await faults.run(work);
  } finally {
    if (faults.failed > failed)
      console.log(JSON.stringify({ event: 'd1-fault', failed: faults.failed, of: faults.roundTrips }));
  }
}

type Given<Handler extends 'fetch' | 'queue' | 'scheduled'> = Parameters<(typeof worker)[Handler]>;

const tested = {
  ...worker,
  queue: (...given: Given<'queue'>) =>
    isSpared.run(true, async () => {
      await untilReleased(given[0] as never);
      await consume(...given);
    }),
  ...(faults && {
    fetch: (...given: Given<'fetch'>) =>
      isSpared.run(/^\/(admin|dev)\//.test(new URL(given[0].url).pathname), () => worker.fetch(...given)),
    scheduled: (...given: Given<'scheduled'>) => isSpared.run(true, () => worker.scheduled(...given)),
  }),
};

export default tested;

/** The first segment of the paths of static assets. */
const ASSETS = 'client';
/** The header with a caller's address. */
const ADDRESS = 'CF-Connecting-IP';

/**
 * Receives requests like the platform: answers them with a static asset or the Worker, which learns the caller's
 * address. Miniflare has four Workers for that, which take longer than most requests.
 */
export const front = {
  async fetch(...[request, bindings, execution]: Given<'fetch'>): Promise<Response> {
    if (new URL(request.url).pathname.split('/')[1] === ASSETS) {
      const asset = await bindings.ASSETS.fetch(request.clone());
      if (asset.status !== 404) return asset;
    }
    if (request.headers.has(ADDRESS)) return tested.fetch(request, bindings, execution);
    const headers = new Headers(request.headers);
    headers.set(ADDRESS, '127.0.0.1');
    return tested.fetch(new Request(request, { headers }) as typeof request, bindings, execution);
  },
};
