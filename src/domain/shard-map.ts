import { bindingNamed, type Env } from '../platform/env.ts';
import { isShard, isUuid, shardOf } from '../platform/ids.ts';

/*
 * Which database holds what (docs/adr/0030-identifiers.md). A binding's number is the shard that lives there, so
 * nothing is looked up. The map lists what lives elsewhere; isolates keep it in memory, and no request waits for it.
 */

/** The binding of the first database: the directory, and the home of shard 0. */
export const DIRECTORY = 'DB';

/** Shards and accounts that live in a database other than the one their number names. */
export interface ShardMap {
  /** Increases with each change. */
  version: number;
  /** Names of databases, by shard number (as text) or account identifier. */
  places: ReadonlyMap<string, string>;
}

const NO_MAP: ShardMap = { version: 0, places: new Map() };

/** Maps, by directory. */
const maps = new WeakMap<D1Database, ShardMap>();

/** When each map was last read, by directory. */
const readAt = new WeakMap<D1Database, number>();

/** Returns the map as this isolate last read it. */
export function knownMap({ DB }: Env): ShardMap {
  return maps.get(DB) ?? NO_MAP;
}

/** Maximum age of a map. An isolate in service re-reads it in the background of its requests. */
const KNOWN_MS = 10 * 60_000;

/** Returns whether this isolate has read the map within the last ten minutes. */
export function isMapKnown({ DB }: Env): boolean {
  return (readAt.get(DB) ?? Number.NEGATIVE_INFINITY) > Date.now() - KNOWN_MS;
}

/**
 * Returns whether accounts may live in other databases than their parents. New ones start together, and the map lists
 * moves.
 */
export function canSpanDatabases(env: Env): boolean {
  return databaseNames(env).length > 1 && (!isMapKnown(env) || knownMap(env).places.size > 0);
}

/** For how long a map that was read is preferred to an older one: their replies may arrive in another order. */
const NEWER_MS = 60_000;

/** When the kept map was last read, by directory. */
const keptAt = new WeakMap<D1Database, number>();

/** Stores a map that was read, unless a newer one was within the last minute. A restore brings back an older map. */
export function keepMap(env: Env, map: ShardMap): void {
  const now = Date.now();
  readAt.set(env.DB, now);
  if (map.version < knownMap(env).version && (keptAt.get(env.DB) ?? 0) > now - NEWER_MS) return;
  keptAt.set(env.DB, now);
  maps.set(env.DB, map);
}

/** Returns the database with a shard's number; null if none is bound. */
function numbered(env: Env, shard: number): string | null {
  if (shard === 0) return DIRECTORY;
  const name = `${DIRECTORY}_${shard}`;
  return bindingNamed(env, name) ? name : null;
}

/** Returns the names of all bound databases: the directory first, then by number. */
export function databaseNames(env: Env): string[] {
  const shards = Object.keys(env).flatMap((name) => shardOfDatabase(name) || []);
  return [DIRECTORY, ...shards.sort((a, b) => a - b).map((shard) => `${DIRECTORY}_${shard}`)];
}

/** Returns the shard whose home is this database; undefined if the name is not that of a database. */
export function shardOfDatabase(name: string): number | undefined {
  if (name === DIRECTORY) return 0;
  const [, digits] = /^DB_([1-9]\d{0,4})$/.exec(name) ?? [];
  return digits !== undefined && isShard(Number(digits)) ? Number(digits) : undefined;
}

/**
 * Returns the databases that may hold rows of a shard, its home first. An identifier that the service never issued may
 * name any shard. It exists nowhere, so looking in the first database is enough.
 */
export function placesOfShard(env: Env, shard: number): [string, ...string[]] {
  const { places } = knownMap(env);
  const home = places.get(String(shard)) ?? numbered(env, shard) ?? DIRECTORY;
  if (places.size === 0) return [home];
  // An account that was moved on its own keeps its shard number.
  const moved = [...places].flatMap(([subject, name]) => (shardOfSubject(subject) === shard ? name : []));
  return [home, ...new Set(moved.filter((name) => name !== home))];
}

function shardOfSubject(subject: string): number | undefined {
  return subject.includes('-') ? shardOf(subject) : undefined;
}

/** Returns the database of an account; null if none with its number is bound. */
export function placeOfAccount(env: Env, accountId: string): string | null {
  const { places } = knownMap(env);
  const shard = shardOf(accountId);
  return places.get(accountId) ?? places.get(String(shard)) ?? numbered(env, shard);
}

/**
 * Returns the accounts that moved to a database on their own, and back to it. Their rows were stored later than other
 * rows of the same time.
 */
export function accountsMovedTo(env: Env, database: string): string[] {
  return [...knownMap(env).places].flatMap(([subject, place]) =>
    place === database && isUuid(subject) ? subject : [],
  );
}
