import type { SQL } from 'drizzle-orm';
import { addWork, type Db, type Meter, type OpenDatabase, openDatabase } from '../platform/db.ts';
import { bindingNamed, type Env } from '../platform/env.ts';
import type { Account } from './accounts/table.ts';
import { AccountMoved } from './moved.ts';
import { knownAddress } from './public-address.ts';
import { DIRECTORY, databaseNames, placeOfAccount, placesOfShard } from './shard-map.ts';

/** The actor of a request, as the audit log names it. */
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

/** The context of every rule. Made once for a request, a queue message or a cron task. */
export interface Context {
  env: Env;
  /** The only door to the database of what the context works with; see `inShard`, `inAccount` and `inDirectory`. */
  db: Db;
  /** Name of that database; absent: the directory. */
  database?: string;
  /** Sessions of the databases that the request, job or task has asked, by their names. */
  sessions?: Map<string, Pick<OpenDatabase, 'db' | 'bookmark'>>;
  /** Counts what all of them cost together. */
  meter: Meter;
  /** State that the caller asks for at least: reads may then come from a replica. */
  stateAsked?: string;
  /** Public origin, without a trailing slash. */
  baseUrl: string;
  /** Stands in the log line and, for requests, in `X-Request-Id`. */
  requestId: string;
  /** The actor; absent: the service itself. */
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

/** An account as the caller sees it: `templateIds` if its key is restricted to these templates. */
export type ActingAccount = Account & { templateIds?: readonly string[] };

/** A context that acts for one account: finders reach the rows of this account only. */
export interface AccountContext extends Context {
  account: ActingAccount;
}

/**
 * Whose rows a finder reaches, and where: those of a known account, or of the account of a key that is checked in the
 * same round trip, which statements name by SQL. `templateIds` is then SQL for a JSON list, or for null: all.
 */
export interface Owner {
  db: Db;
  account: { id: string | SQL; templateIds?: readonly string[] | SQL };
}

/** The parts of an account that statements need even after its deletion. */
export interface OwnerContext extends Context {
  account: Pick<Account, 'id' | 'ancestorIds'>;
}

/**
 * The context that acts for an account, which is also what the log line then names. Throws `AccountMoved` for a copy of
 * an account that lives in another database.
 */
export function actingFor<C extends Context>(ctx: C, account: ActingAccount): C & AccountContext {
  refuseCopy(ctx, account);
  noteAccount(ctx, account.id);
  return { ...ctx, account };
}

/** Throws `AccountMoved` for a copy of an account that lives in another database. */
export function refuseCopy({ database = DIRECTORY }: Context, { id, livesIn }: Pick<Account, 'id' | 'livesIn'>): void {
  if ((livesIn ?? database) !== database) throw new AccountMoved(id);
}

/** The same for what names its account: the map must say that the account lives here. */
export function refuseElsewhere(ctx: Context, accountId: string): void {
  if (!isHere(ctx, accountId)) throw new AccountMoved(accountId);
}

/** Lets the log line of the request or job name the account that it works for. */
export function noteAccount({ meter }: Context, accountId: string): void {
  meter.accountId = (meter.accountId ?? accountId) === accountId && meter.accountId !== null ? accountId : null;
}

/** The parts of a context that come from its request, job or cron task. */
export interface Origin extends Pick<Context, 'requestId' | 'waitUntil' | 'ip'> {
  /** State that the caller asks for at least, by a bookmark of D1; absent: reads start at the primary. */
  stateAsked?: string;
  /** Origin of the request, for a service without `BASE_URL` and without a stored address. */
  baseUrl?: string;
}

/** Opens the context of a request, a job or a cron task in the home of a shard: the only way to a database. */
export function contextOf(env: Env, shard: number, origin: Origin): Context {
  return contextIn(env, placesOfShard(env, shard)[0], origin);
}

/** Opens the context of a job of an account. Throws where its database is not bound: the job waits until it is. */
export function contextOfAccount(env: Env, accountId: string, origin: Origin): Context {
  const name = placeOfAccount(env, accountId);
  if (name === null) throw new Error(`the database of account ${accountId} is not bound`);
  return contextIn(env, name, origin);
}

/** Opens a context in a database of that name, for what is done in each of them. */
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

/** The same context in another database. */
export function inDatabase<C extends Context>(ctx: C, name: string): C {
  const { database = DIRECTORY, meter } = ctx;
  if (name === database) return ctx;
  const sessions: NonNullable<Context['sessions']> = ctx.sessions ?? new Map([[database, noBookmarkOf(ctx)]]);
  const opened = sessions.get(name) ?? openDatabase(bindingOf(ctx.env, name), undefined, meter);
  sessions.set(name, opened);
  return { ...ctx, sessions, database: name, db: opened.db };
}

const noBookmarkOf = ({ db }: Context) => ({ db, bookmark: () => null });

/** The same context in the home of a shard. */
export function inShard<C extends Context>(ctx: C, shard: number): C {
  return inDatabase(ctx, placesOfShard(ctx.env, shard)[0]);
}

/** The same context in the database of an account; in the first one where the identifier is none of ours. */
export function inAccount<C extends Context>(ctx: C, accountId: string): C {
  return inDatabase(ctx, placeOfAccount(ctx.env, accountId) ?? DIRECTORY);
}

/** The same context in the database that has what belongs to no account: users, sessions, the map of the shards. */
export function inDirectory<C extends Context>(ctx: C): C {
  return inDatabase(ctx, DIRECTORY);
}

/** Whether an account lives in the database that the context works with. */
export function isHere({ env, database = DIRECTORY }: Pick<Context, 'env' | 'database'>, accountId: string): boolean {
  return databaseNames(env).length === 1 || placeOfAccount(env, accountId) === database;
}

/** A session of its own in the database of the context, whose cost the request is not charged for. */
export function ownSession({ env, database = DIRECTORY }: Pick<Context, 'env' | 'database'>): Db {
  return openDatabase(bindingOf(env, database)).db;
}

/** A database with a meter of its own, which the caller is not charged for. */
export function openApart({ env }: Pick<Context, 'env'>, name: string): OpenDatabase {
  return openDatabase(bindingOf(env, name));
}

/** Asks the primary, whatever state the caller asks for; what it costs counts for the request all the same. */
export async function askPrimary<T>(ctx: Context, ask: (db: Db) => Promise<T>): Promise<T> {
  const { env, database = DIRECTORY, db, meter, stateAsked } = ctx;
  if (stateAsked === undefined) return ask(db);
  const primary = openDatabase(bindingOf(env, database));
  const answer = await ask(primary.db);
  addWork(meter, { ...primary.meter, bookmark: primary.bookmark() });
  return answer;
}

/** The state after the last query of the context's database, for `X-D1-Bookmark`; null before the first one. */
export function bookmarkOf({ sessions, database = DIRECTORY }: Context): string | null {
  return sessions?.get(database)?.bookmark() ?? null;
}
