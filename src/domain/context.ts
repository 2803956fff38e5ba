import type { Db, Meter } from '../platform/db.ts';
import { openDatabase } from '../platform/db.ts';
import { bindingNamed, type Env } from '../platform/env.ts';
import type { Account } from './accounts/table.ts';

/** Who acts, as the audit log names it. */
export interface Actor {
  type: 'api_key' | 'user' | 'scanner_link' | 'operator' | 'system';
  /** Null: an operator or the service itself. */
  id: string | null;
  name: string;
}

/** A request that may be repeated: by its caller under one `Idempotency-Key`, or by the service after an error. */
export interface RepeatableRequest {
  /**
   * Digest of account, key and request, or the identifier of a request without a key: identifiers of what the request
   * creates derive from it.
   */
  seed: string;
  /** When the key was claimed first, or the request began, UTC milliseconds. */
  since: number;
  /** Whether an earlier request with the key, or an earlier run, has left no reply; it may have taken effect. */
  isRepeat: boolean;
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
  /** The request, if it has an `Idempotency-Key` or is done again after a transient error. */
  repeatable?: RepeatableRequest;
  /** Identifiers that `newId` made for the request, by what they are for: it is done again with the same. */
  identifiers?: Map<string, string>;
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

/** What a request, job or cron task brings to its context. */
export interface Origin extends Pick<Context, 'requestId' | 'waitUntil' | 'ip'> {
  /** State that the caller asks for at least, by a bookmark of D1; absent: reads start at the primary. */
  stateAsked?: string;
  /** Origin of the request, for a service without `BASE_URL`. */
  baseUrl?: string;
}

/**
 * Opens the context of a request, a job or a cron task: the only way to a database. `bookmark` names the state after
 * the last query, for `X-D1-Bookmark`; null before the first one.
 */
export function openContext(env: Env, { baseUrl = '', ...origin }: Origin) {
  const { db, meter, bookmark } = openDatabase(databaseOfShard(env, 0), origin.stateAsked);
  const ctx: Context = { ...origin, env, db, meter, baseUrl: env.BASE_URL || baseUrl };
  return { ctx, bookmark };
}
