import type { SQL } from 'drizzle-orm';
import { addWork, type Db, type Meter, type OpenDatabase, openDatabase } from '../platform/db.ts';
import { bindingNamed, type Env } from '../platform/env.ts';
import type { Account } from './accounts/table.ts';
import { AccountMoved } from './moved.ts';
import { knownAddress } from './public-address.ts';
import { DIRECTORY, databaseNames, placeOfAccount, placesOfShard } from './shard-map.ts';

/** Actor of a request, as recorded in the audit log. */
export interface Actor {
  type: 'api_key' | 'user' | 'scanner_link' | 'operator' | 'system';
  /** Null: an operator, or the service itself. */
  id: string | null;
  name: string;
}

/**
 * A request that may run more than once: repeated by its caller under one `Idempotency-Key`, or by the service after an
 * error.
 */
export interface RepeatableRequest {
  /**
   * Digest of account, key and request, or the identifier of a request without a key. Identifiers of created resources
   * derive from it.
   */
  seed: string;
  /** Time of the first claim of the key, or of the start of the request, in UTC milliseconds. */
  since: number;
  /** Whether an earlier request with the key, or an earlier run, ended without a reply. It may have taken effect. */
  isRepeat: boolean;
}

/** Context of all domain code, created once per request, queue message or cron task. */
export interface Context {
  env: Env;
  /** The only access to the database of the context; see `inShard`, `inAccount` and `inDirectory`. */
  db: Db;
  /** Name of the database; absent: the directory. */
  database?: string;
  /** Open database sessions of the request, job or task, by database name. */
  sessions?: Map<string, Pick<OpenDatabase, 'db' | 'bookmark'>>;
  /** Total cost of all sessions. */
  meter: Meter;
  /** Minimum state (bookmark) that the caller requires. With it, replicas may serve reads. */
  stateAsked?: string;
  /** Public origin, without a trailing slash. */
  baseUrl: string;
  /** Identifies the request in log lines and, for HTTP requests, in `X-Request-Id`. */
  requestId: string;
  /** The actor; absent: the service itself. */
  actor?: Actor;
  /** IP address of the caller. */
  ip?: string;
  /** The request, if it has an `Idempotency-Key` or runs again after a transient error. */
  repeatable?: RepeatableRequest;
  /** Identifiers that `newId` returned for the request, by purpose. A repeat of the request gets the same ones. */
  identifiers?: Map<string, string>;
  /** Keeps the invocation alive for work that may end after the reply. */
  waitUntil(work: Promise<unknown>): void;
}

/** An account as the caller may use it: with `templateIds`, the API key is restricted to these templates. */
export type ActingAccount = Account & { templateIds?: readonly string[] };

/** Context of one account: finders return rows of this account only. */
export interface AccountContext extends Context {
  account: ActingAccount;
}

/**
 * Owner of the rows that a finder returns: a known account, or the account of an API key that is checked in the same
 * round trip and that statements name by SQL. In that case, `templateIds` is SQL for a JSON array, or for null: all
 * templates.
 */
export interface Owner {
  db: Db;
  account: { id: string | SQL; templateIds?: readonly string[] | SQL };
}

/** Members of an account that statements need even after its deletion. */
export interface OwnerContext extends Context {
  account: Pick<Account, 'id' | 'ancestorIds'>;
}

/**
 * Returns the context of an account, and names the account in the log line. Throws `AccountMoved` for the remaining
 * copy of an account that lives in another database.
 */
export function actingFor<C extends Context>(ctx: C, account: ActingAccount): C & AccountContext {
  refuseCopy(ctx, account);
  noteAccount(ctx, account.id);
  return { ...ctx, account };
}

/**
 * Throws `AccountMoved` for a row of an account that lives in another database: the copy that a move leaves, and what
 * the restore of a database brings back.
 */
export function refuseCopy(ctx: Context, { id, livesIn }: Pick<Account, 'id' | 'livesIn'>): void {
  const { database = DIRECTORY } = ctx;
  if ((livesIn ?? database) !== database) throw new AccountMoved(id);
  refuseElsewhere(ctx, id);
}

/** Does the same for an identifier of an account, by the map of databases. */
export function refuseElsewhere(ctx: Context, accountId: string): void {
  if (!isHere(ctx, accountId)) throw new AccountMoved(accountId);
}

/** Names the account in the log line of the request or job. */
export function noteAccount({ meter }: Context, accountId: string): void {
  meter.accountId = (meter.accountId ?? accountId) === accountId && meter.accountId !== null ? accountId : null;
}

/** Members of a context that come from its request, job or cron task. */
export interface Origin extends Pick<Context, 'requestId' | 'waitUntil' | 'ip'> {
  /** Minimum state that the caller requires, as a D1 bookmark; absent: reads start at the primary. */
  stateAsked?: string;
  /** Origin of the request, used if the service has neither `BASE_URL` nor a stored address. */
  baseUrl?: string;
}

/** Opens the context of a request, job or cron task in the home of a shard. This is the only way to a database. */
export function contextOf(env: Env, shard: number, origin: Origin): Context {
  return contextIn(env, placesOfShard(env, shard)[0], origin);
}

/**
 * Opens the context of an account's job. Throws if the account's database isn't bound, so that the job waits until it
 * is.
 */
export function contextOfAccount(env: Env, accountId: string, origin: Origin): Context {
  const name = placeOfAccount(env, accountId);
  if (name === null) throw new Error(`the database of account ${accountId} is not bound`);
  return contextIn(env, name, origin);
}

/** Opens a context in the database with this name, for work that runs in each of them. */
export function contextIn(env: Env, database: string, { baseUrl = '', ...origin }: Origin): Context {
  const { db, meter, bookmark } = openDatabase(bindingOf(env, database), origin.stateAsked);
  const sessions = new Map([[database, { db, bookmark }]]);
  return { ...origin, env, db, database, sessions, meter, baseUrl: env.BASE_URL || knownAddress(env) || baseUrl };
}

function bindingOf(env: Env, database: string): D1Database {
  const binding = bindingNamed(env, database) as D1Database | undefined;
  if (!binding) throw new Error(`no database is bound as ${database}`);
  return binding;
}

/** Returns the same context in another database. */
export function inDatabase<C extends Context>(ctx: C, name: string): C {
  const { database = DIRECTORY, meter } = ctx;
  if (name === database) return ctx;
  const sessions: NonNullable<Context['sessions']> = ctx.sessions ?? new Map([[database, noBookmarkOf(ctx)]]);
  const opened = sessions.get(name) ?? openDatabase(bindingOf(ctx.env, name), undefined, meter);
  sessions.set(name, opened);
  return { ...ctx, sessions, database: name, db: opened.db };
}

const noBookmarkOf = ({ db }: Context) => ({ db, bookmark: () => null });

/** Returns the same context in the home of a shard. */
export function inShard<C extends Context>(ctx: C, shard: number): C {
  return inDatabase(ctx, placesOfShard(ctx.env, shard)[0]);
}

/**
 * Returns the same context in the database of an account, or in the first one if the service never issued the
 * identifier.
 */
export function inAccount<C extends Context>(ctx: C, accountId: string): C {
  return inDatabase(ctx, placeOfAccount(ctx.env, accountId) ?? DIRECTORY);
}

/**
 * Returns the same context in the directory, which holds the rows that belong to no account: users, sessions, the map
 * of shards.
 */
export function inDirectory<C extends Context>(ctx: C): C {
  return inDatabase(ctx, DIRECTORY);
}

/** Returns whether an account lives in the context's database. */
export function isHere({ env, database = DIRECTORY }: Pick<Context, 'env' | 'database'>, accountId: string): boolean {
  return databaseNames(env).length === 1 || placeOfAccount(env, accountId) === database;
}

/** Opens a separate session in the context's database. Its cost isn't charged to the request. */
export function ownSession({ env, database = DIRECTORY }: Pick<Context, 'env' | 'database'>): Db {
  return openDatabase(bindingOf(env, database)).db;
}

/** Opens a database with a meter of its own. Its cost isn't charged to the caller. */
export function openSeparately({ env }: Pick<Context, 'env'>, name: string): OpenDatabase {
  return openDatabase(bindingOf(env, name));
}

/** Queries the primary even if the caller accepts a replica. The cost still counts for the request. */
export async function queryPrimary<T>(ctx: Context, query: (db: Db) => Promise<T>): Promise<T> {
  const { env, database = DIRECTORY, db, meter, stateAsked } = ctx;
  if (stateAsked === undefined) return query(db);
  const primary = openDatabase(bindingOf(env, database));
  const answer = await query(primary.db);
  addWork(meter, { ...primary.meter, bookmark: primary.bookmark() });
  return answer;
}

/**
 * Returns the bookmark after the last query of the context's database, for `X-D1-Bookmark`; null before the first one.
 */
export function bookmarkOf({ sessions, database = DIRECTORY }: Context): string | null {
  return sessions?.get(database)?.bookmark() ?? null;
}
