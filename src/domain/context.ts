import type { Db, Meter } from '../platform/db.ts';
import { openDatabase } from '../platform/db.ts';
import { bindingNamed, type Env } from '../platform/env.ts';
import { describeError, logLine } from '../platform/log.ts';
import type { Account } from './accounts/table.ts';
import type { Job } from './jobs.ts';

/** Who acts, as the audit log names it. */
export interface Actor {
  type: 'api_key' | 'user' | 'scanner_link' | 'operator' | 'system';
  /** Null: an operator or the service itself. */
  id: string | null;
  name: string;
}

/** What every rule works with. Made once for a request, a queue message or a cron task. */
export interface Context {
  env: Env;
  /** The only door to the database. */
  db: Db;
  meter: Meter;
  /** State that the caller asks for at least: reads may then come from a replica. */
  stateAsked?: string;
  /** Public origin, without a trailing slash. */
  baseUrl: string;
  /** Stands in the log line and, for requests, in `X-Request-Id`. */
  requestId: string;
  /** Who acts; absent: the service itself. */
  actor?: Actor;
  /** Address that the request came from. */
  ip?: string;
  /** Work that may end after the reply. */
  waitUntil(work: Promise<unknown>): void;
}

/** A context that acts for one account: finders reach the rows of this account only. */
export interface AccountContext extends Context {
  account: Account;
}

/** What statements need of an account that may be deleted already. */
export interface OwnerContext extends Context {
  account: Pick<Account, 'id' | 'ancestorIds'>;
}

/** The context that acts for an account, which is also what the log line then names. */
export function actingFor<C extends Context>(ctx: C, account: Account): C & AccountContext {
  noteAccount(ctx, account.id);
  return { ...ctx, account };
}

/** Lets the log line of the request or job name the account that it works for. */
export function noteAccount({ meter }: Context, accountId: string): void {
  meter.accountId = (meter.accountId ?? accountId) === accountId && meter.accountId !== null ? accountId : null;
}

/**
 * The database in which a shard lives. Shard 0 is the binding DB, which also holds accounts and keys; further shards
 * are bindings DB_1, DB_2, …
 */
export function databaseOfShard(env: Env, shard: number): D1Database {
  const binding = shard === 0 ? env.DB : (bindingNamed(env, `DB_${shard}`) as D1Database | undefined);
  if (!binding) throw new Error(`no database is bound for shard ${shard}`);
  return binding;
}

/** Opens the context of a job or cron task, which has no caller and starts at the primary. */
export function backgroundContext(env: Env, requestId: string, waitUntil: Context['waitUntil']): Context {
  const { db, meter } = openDatabase(databaseOfShard(env, 0));
  return { env, db, meter, baseUrl: env.BASE_URL, requestId, waitUntil };
}

/**
 * What the queue takes at once (Cloudflare, Queues limits): so many messages, and 256 KB; the rest is for what
 * surrounds them.
 */
const SEND_MESSAGES_MAX = 100;
const SEND_CHARS_MAX = 200_000;

/** Puts jobs on the queue, after the change that asks for them is committed. */
export function enqueue(ctx: Context, jobs: Job[]): Promise<void> {
  return sendAll(ctx.env.JOBS, jobs);
}

/**
 * Puts jobs on the queue that the cron, or their next user, enqueues again when they are lost. The caller's change is
 * committed, so a queue that refuses is logged and does not fail it.
 */
export async function enqueueOrLog(ctx: Context, jobs: Job[]): Promise<void> {
  try {
    await enqueue(ctx, jobs);
  } catch (error) {
    logLine('error', { event: 'hand-over', requestId: ctx.requestId, error: describeError(error) });
  }
}

/** Puts any number of messages on a queue, in as few requests as it takes them. */
export async function sendAll(queue: Queue, bodies: object[]): Promise<void> {
  let batch: { body: object }[] = [];
  let chars = 0;
  const send = async () => {
    if (batch.length > 0) await queue.sendBatch(batch);
    batch = [];
    chars = 0;
  };
  for (const body of bodies) {
    const added = JSON.stringify(body).length;
    if (batch.length === SEND_MESSAGES_MAX || chars + added > SEND_CHARS_MAX) await send();
    batch.push({ body });
    chars += added;
  }
  await send();
}
