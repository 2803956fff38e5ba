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
import type { HeldJobs } from './recorded-worker.ts';

const DEADLINE_MILLIS = 60_000;

/** What one request has cost in D1. */
export interface Cost {
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** Asks the process that holds the Worker. */
export async function control<Name extends keyof Controls>(
  name: Name,
  input: Controls[Name]['in'],
): Promise<Controls[Name]['out']> {
  const url = new URL(`${inject('worker').controlOrigin}/${name}`);
  const response = await fetchWorker(url, { method: 'POST', headers: {}, body: JSON.stringify(input) });
  if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
  return response.json() as Promise<Controls[Name]['out']>;
}

/** Asks the Worker's bindings. */
function ask<Name extends keyof BindingCalls>(
  call: Name,
  input: BindingCalls[Name]['in'],
): Promise<BindingCalls[Name]['out']> {
  return askAt(inject('worker').bindingsOrigin)(call, input);
}

/** The cost of the request that was answered with these headers, from its log line; waits until the line is written. */
export async function costOf(response: { headers: Headers }): Promise<Cost> {
  const line = await logged({ event: 'request', requestId: response.headers.get('X-Request-Id') });
  return {
    roundTrips: line.d1RoundTrips as number,
    rowsRead: line.rowsRead as number,
    rowsWritten: line.rowsWritten as number,
  };
}

/**
 * The newest log line that has all of `fields`; waits until it is written, and fails when that does not happen in time.
 */
export async function logged(fields: LogLine, deadlineMillis = DEADLINE_MILLIS): Promise<LogLine> {
  const line = await control('findLog', { fields, deadlineMillis });
  if (!line) throw new Error(`no log line with ${JSON.stringify(fields)} within ${deadlineMillis} ms`);
  return line;
}

/** All log lines so far that have all of `fields`, oldest first. */
export function allLogged(fields: LogLine): Promise<LogLine[]> {
  return control('allLogs', { fields });
}

/**
 * Rows of a statement on the database of what it names (`databaseNamedIn`), of an account or of that name, for what no
 * interface shows.
 */
export function d1<Row = Record<string, unknown>>(
  statement: string,
  params: unknown[] = [],
  where?: string | { accountId: string },
): Promise<Row[]> {
  const database = typeof where === 'object' ? databaseOf(where) : (where ?? databaseNamedIn(statement, params));
  return ask('sql', { sql: statement, params, databases: [database] }) as Promise<Row[]>;
}

/** Rows of a statement on each database, one behind the other; for rows that are found by no identifier. */
export function d1Everywhere<Row = Record<string, unknown>>(statement: string, params: unknown[] = []): Promise<Row[]> {
  return ask('sql', { sql: statement, params, databases: DATABASES }) as Promise<Row[]>;
}

/** The database in which the accounts of the running test file live. */
export function homeOfFile(): string {
  return homeOf(relative(ROOT, expect.getState().testPath!));
}

/**
 * Runs the Worker's cron handler now, as if it were `at`, and waits until it has ended: in the directory, and in the
 * database of the test file's accounts or those of these names.
 */
export async function runScheduled(at = new Date(), databases = [homeOfFile()]): Promise<void> {
  const further = databases.filter((name) => name !== DIRECTORY);
  const { outcome } = await control('scheduled', { atMillis: at.getTime(), databases: further });
  if (outcome !== 'ok') throw new Error(`the scheduled handler ended with "${outcome}"`);
}

/** Runs it in every database, for what concerns accounts of several. */
export async function runScheduledEverywhere(at = new Date()): Promise<void> {
  await runScheduled(at, DATABASES);
}

/** Puts jobs of an account on the Worker's queue; for what a second delivery of the same job must not do. */
export async function sendJobs(jobs: Sent<Job>[], { accountId }: { accountId: string }): Promise<void> {
  await ask('send', { jobs: jobs.map((job) => ({ accountId, ...job })) });
}

/** Puts delivery jobs of an account on the queue of the webhooks, as a queue does that delivers twice. */
export async function sendDeliveryJobs(
  deliveryJobs: Sent<DeliveryJob>[],
  { accountId }: { accountId: string },
): Promise<void> {
  await ask('wake', { deliveryJobs: deliveryJobs.map((job) => ({ accountId, ...job })) });
}

/** Puts messages on the dead-letter queue, as the platform does with what failed as often as it may. */
export async function buryJobs(bodies: object[]): Promise<void> {
  await ask('bury', { bodies });
}

/** Jobs that wait. */
export interface WaitingJobs {
  /** Lets all of them go. */
  release(): Promise<void>;
  /** Lets the next batch of them go. */
  admitBatch(): Promise<void>;
}

/**
 * Lets jobs of these types wait in front of their handlers, as those of a busy queue do, at most until the test has
 * ended. Only one test holds jobs at a time.
 */
export async function holdJobs(...types: Job['type'][]): Promise<WaitingJobs> {
  const hold = async (held: HeldJobs) => {
    const url = new URL(inject('worker').holdsOrigin);
    await fetchWorker(url, { method: 'POST', headers: {}, body: JSON.stringify(held) });
  };
  const release = () => hold({ types: [], admitted: 0 });
  await hold({ types, admitted: 0 });
  onTestFinished(release);
  return { release, admitBatch: () => hold({ types, admitted: 1 }) };
}

/** Ends a Durable Object as the platform does at any time: its memory is gone, its storage stays. */
export async function evictObject(object: ObjectName): Promise<void> {
  await control('evictObject', object);
}

/** Rows of a statement on a Durable Object's own SQLite. */
export function objectSql<Row = Record<string, unknown>>(
  object: ObjectName,
  statement: string,
  params: (string | number | null)[] = [],
): Promise<Row[]> {
  return control('objectSql', { ...object, statement, params }) as Promise<Row[]>;
}

/** Keys of the stored files that start with `prefix`. */
export function storedKeys(prefix: string): Promise<string[]> {
  return ask('storedKeys', { prefix });
}

/** Keys of the files, stored since then, whose name or content has one of the texts. */
export function filesHolding(texts: string[], since = new Date(0)): Promise<string[]> {
  return ask('filesHolding', { texts, since: since.getTime() });
}

/** Columns of these tables, in any database, that have one of the texts in upper or lower case, by `table.column`. */
export function columnsWith(texts: string[], tables: string[]): Promise<string[]> {
  return ask('columnsHolding', { texts, tables });
}

/** The tokens in the links of a pass, which the database has encrypted. */
export function linkTokens(passId: string): Promise<ShownTokens> {
  return ask('linkTokens', { passId });
}

/**
 * The first result of `look` that is neither undefined, null nor false; for effects that arrive in the background and
 * leave no log line. Looks again soon after the last look has ended, and fails at the deadline.
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
/** A wait is longer by this part at most than it has to be. */
const PAUSED_PART = 1 / 50;

/**
 * Leaves the machine to the work that is waited for: each look is a request, and those of several lanes took as much of
 * a busy one as that work.
 */
function pauseAfter(waitedMillis: number): number {
  return Math.min(PAUSE_MILLIS_MAX, Math.max(PAUSE_MILLIS_MIN, waitedMillis * PAUSED_PART));
}
