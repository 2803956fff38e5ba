import { relative } from 'node:path';
import { expect, inject, onTestFinished } from 'vitest';
import { ROOT } from '../../scripts/settings.ts';
import type { DeliveryJob, Job } from '../../src/domain/jobs.ts';
import { DIRECTORY } from '../../src/domain/shard-map.ts';
import { askAt } from './bindings-client.ts';
import type { BindingCalls, Sent, ShownTokens } from './bindings-worker.ts';
import type { Controls, ObjectName } from './control-server.ts';
import { DATABASES, databaseNamedIn, databaseOf, homeOf } from './database-of.ts';
import { fetchWorker } from './fetch-worker.ts';
import type { LogLine } from './log-book.ts';
import type { HeldJobs, SkippedLimits } from './recorded-worker.ts';

const DEADLINE_MILLIS = 60_000;
const AS_JSON = { method: 'POST', headers: {}, redirect: 'manual' } as const;

/** The D1 cost of one request. */
export interface Cost {
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** Calls the process with the Worker. */
export async function control<Name extends keyof Controls>(
  name: Name,
  input: Controls[Name]['in'],
): Promise<Controls[Name]['out']> {
  const url = new URL(`${inject('worker').controlOrigin}/${name}`);
  const response = await fetchWorker(url, { ...AS_JSON, body: JSON.stringify(input) });
  if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
  return response.json() as Promise<Controls[Name]['out']>;
}

/** Calls the Worker's bindings. */
function ask<Name extends keyof BindingCalls>(
  call: Name,
  input: BindingCalls[Name]['in'],
): Promise<BindingCalls[Name]['out']> {
  return askAt(inject('worker').bindingsOrigin)(call, input);
}

/** Waits for the log line of the request with these reply headers, and returns its cost. */
export async function costOf(response: { headers: Headers }): Promise<Cost> {
  const line = await logged({ event: 'request', requestId: response.headers.get('X-Request-Id') });
  return {
    roundTrips: line.d1RoundTrips as number,
    rowsRead: line.rowsRead as number,
    rowsWritten: line.rowsWritten as number,
  };
}

/** Waits for a log line with all of `fields`, and returns the newest. Fails at the deadline. */
export async function logged(fields: LogLine, deadlineMillis = DEADLINE_MILLIS): Promise<LogLine> {
  const line = await control('findLog', { fields, deadlineMillis });
  if (!line) throw new Error(`no log line with ${JSON.stringify(fields)} within ${deadlineMillis} ms`);
  return line;
}

/** Returns all log lines so far with all of `fields`, oldest first. */
export function allLogged(fields: LogLine): Promise<LogLine[]> {
  return control('allLogs', { fields });
}

/**
 * Returns a statement's rows, for data that no interface shows, from the named database, an account's, or that of the
 * identifiers in it (`databaseNamedIn`).
 */
export function d1<Row = Record<string, unknown>>(
  statement: string,
  params: unknown[] = [],
  where?: string | { accountId: string },
): Promise<Row[]> {
  const database = typeof where === 'object' ? databaseOf(where) : (where ?? databaseNamedIn(statement, params));
  return ask('sql', { sql: statement, params, databases: [database] }) as Promise<Row[]>;
}

/** Returns the rows of each statement, all about one account, in its order. Asks each database once. */
export async function d1Together(statements: string[], { accountId }: { accountId: string }) {
  const asked = statements.map((sql) => ({ sql, params: [accountId], database: databaseNamedIn(sql, [accountId]) }));
  const answers = new Map<string, Record<string, unknown>[]>();
  for (const [database, group] of Map.groupBy(asked, ({ database }) => database)) {
    const rows = await ask('sqlTogether', { statements: group, database });
    for (const [i, { sql }] of group.entries()) answers.set(sql, rows[i]!);
  }
  return statements.map((sql) => answers.get(sql)!);
}

/** Returns a statement's rows in each database, for rows that no identifier leads to. */
export function d1Everywhere<Row = Record<string, unknown>>(statement: string, params: unknown[] = []): Promise<Row[]> {
  return ask('sql', { sql: statement, params, databases: DATABASES }) as Promise<Row[]>;
}

/** Returns the database of the test file's accounts. */
export function homeOfFile(): string {
  return homeOf(relative(ROOT, expect.getState().testPath!));
}

/**
 * Runs the Worker's cron handler with the time `at`, and waits until it has ended: in the directory, and in the
 * database of the test file's accounts or the named ones.
 */
export async function runScheduled(at = new Date(), databases = [homeOfFile()]): Promise<void> {
  const further = databases.filter((name) => name !== DIRECTORY);
  const { outcome } = await control('scheduled', { atMillis: at.getTime(), databases: further });
  if (outcome !== 'ok') throw new Error(`the scheduled handler ended with "${outcome}"`);
}

/** Runs it in every database, for tests with accounts in several. */
export async function runScheduledEverywhere(at = new Date()): Promise<void> {
  await runScheduled(at, DATABASES);
}

/** Sends an account's jobs to the Worker's queue, for example to deliver a job twice. */
export async function sendJobs(jobs: Sent<Job>[], { accountId }: { accountId: string }): Promise<void> {
  await ask('send', { jobs: jobs.map((job) => ({ accountId, ...job })) });
}

/** Sends an account's delivery jobs to the webhooks queue, for example to deliver one twice. */
export async function sendDeliveryJobs(
  deliveryJobs: Sent<DeliveryJob>[],
  { accountId }: { accountId: string },
): Promise<void> {
  await ask('wake', { deliveryJobs: deliveryJobs.map((job) => ({ accountId, ...job })) });
}

/** Sends messages to the dead-letter queue, like the platform after the last attempt. */
export async function buryJobs(bodies: object[]): Promise<void> {
  await ask('bury', { bodies });
}

/** Paused jobs. */
export interface WaitingJobs {
  /** Releases all of them. */
  release(): Promise<void>;
  /** Releases the next batch. */
  admitBatch(): Promise<void>;
}

/**
 * Pauses jobs of these types before their handlers, like a busy queue, until the test has ended at the latest. Only one
 * test can do this at a time.
 */
export async function holdJobs(...types: Job['type'][]): Promise<WaitingJobs> {
  const hold = async (held: HeldJobs) => {
    const url = new URL(inject('worker').holdsOrigin);
    await fetchWorker(url, { ...AS_JSON, body: JSON.stringify(held) });
  };
  const release = () => hold({ types: [], admitted: 0 });
  await hold({ types, admitted: 0 });
  onTestFinished(release);
  return { release, admitBatch: () => hold({ types, admitted: 1 }) };
}

/**
 * Makes the Worker's time limits of at least five seconds skippable until the test has ended: those that begin from now
 * on. Returns a function that skips milliseconds of the running ones.
 */
export async function skippableLimits(): Promise<(millis: number) => Promise<void>> {
  const change = async (limits: SkippedLimits) => {
    const url = new URL('/limits', inject('worker').holdsOrigin);
    await fetchWorker(url, { ...AS_JSON, body: JSON.stringify(limits) });
  };
  await change({ areSkippable: true, millis: 0 });
  onTestFinished(() => change({ areSkippable: false, millis: 0 }));
  return (millis) => change({ areSkippable: true, millis });
}

/** Ends a Durable Object, as the platform may at any time: its memory is lost, its storage stays. */
export async function evictObject(object: ObjectName): Promise<void> {
  await control('evictObject', object);
}

/** Returns a statement's rows from a Durable Object's own SQLite database. */
export function objectSql<Row = Record<string, unknown>>(
  object: ObjectName,
  statement: string,
  params: (string | number | null)[] = [],
): Promise<Row[]> {
  return control('objectSql', { ...object, statement, params }) as Promise<Row[]>;
}

/** Returns the keys of stored files that start with `prefix`. */
export function storedKeys(prefix: string): Promise<string[]> {
  return ask('storedKeys', { prefix });
}

/** Returns the keys of files stored since then whose name or content contains one of the texts. */
export function filesHolding(texts: string[], since = new Date(0)): Promise<string[]> {
  return ask('filesHolding', { texts, since: since.getTime() });
}

/**
 * Returns the columns of these tables, in any database, that contain one of the texts in either case, as
 * `table.column`.
 */
export function columnsWith(texts: string[], tables: string[]): Promise<string[]> {
  return ask('columnsHolding', { texts, tables });
}

/** Returns the tokens in a pass's links, which the database stores encrypted. */
export function linkTokens(passId: string): Promise<ShownTokens> {
  return ask('linkTokens', { passId });
}

/**
 * Returns the first result of `look` that isn't undefined, null or false. For background effects without a log line.
 * Retries after a short pause, and fails at the deadline.
 */
export async function eventually<T>(
  look: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  deadlineMillis = DEADLINE_MILLIS,
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const result = await look();
    if (result !== undefined && result !== null && result !== false) return result as T;
    const waited = performance.now() - startedAt;
    if (waited > deadlineMillis) throw new Error(`did not happen within ${deadlineMillis} ms: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(waited)));
  }
}

const PAUSE_MILLIS_MIN = 20;
const PAUSE_MILLIS_MAX = 200;
/** Maximum fraction by which a wait may exceed the time needed. */
const PAUSED_PART = 1 / 50;

/**
 * Leaves the machine to the work being awaited: each check is a request, and those of several lanes took as much of a
 * busy machine as that work.
 */
function pauseAfter(waitedMillis: number): number {
  return Math.min(PAUSE_MILLIS_MAX, Math.max(PAUSE_MILLIS_MIN, waitedMillis * PAUSED_PART));
}
