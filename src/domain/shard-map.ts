import { bindingNamed, type Env } from '../platform/env.ts';
import { isShard, shardOf } from '../platform/ids.ts';

/*
 * Which database has what (docs/adr/0030-identifiers.md). The number of a binding names the shard that lives there, so
 * nothing has to be looked up; the map holds what lives elsewhere. Isolates keep it in memory, and no request waits.
 */

/** The binding of the first database: the directory, and the home of shard 0. */
export const DIRECTORY = 'DB';

/** Shards and accounts that do not live where their number says. */
export interface ShardMap {
  /** Rises with each change. */
  version: number;
  /** Name of the database by shard, a number as text, or by the identifier of an account. */
  places: ReadonlyMap<string, string>;
}

const NO_MAP: ShardMap = { version: 0, places: new Map() };

/** By the directory that they are of. */
const maps = new WeakMap<D1Database, ShardMap>();

/** When it was read last, by the directory. */
const readAt = new WeakMap<D1Database, number>();

/** Returns the map as this isolate has read it. */
export function knownMap({ DB }: Env): ShardMap {
  return maps.get(DB) ?? NO_MAP;
}

/** What an isolate has read so long ago says nothing: in service, it reads the map behind its requests. */
const KNOWN_MS = 10 * 60_000;

/** Whether this isolate has read the map, within ten minutes. */
export function isMapKnown({ DB }: Env): boolean {
  return (readAt.get(DB) ?? Number.NEGATIVE_INFINITY) > Date.now() - KNOWN_MS;
}

/** Whether accounts may live apart from those above them: they begin together, and a move is in the map. */
export function mayLiveApart(env: Env): boolean {
  return databaseNames(env).length > 1 && (!isMapKnown(env) || knownMap(env).places.size > 0);
}

/** Takes a map that was read, unless a newer one is known. */
export function keepMap(env: Env, map: ShardMap): void {
  readAt.set(env.DB, Date.now());
  if (map.version >= knownMap(env).version) maps.set(env.DB, map);
}

/** The database whose number a shard has; null where none is bound. */
function numbered(env: Env, shard: number): string | null {
  if (shard === 0) return DIRECTORY;
  const name = `${DIRECTORY}_${shard}`;
  return bindingNamed(env, name) ? name : null;
}

/** Names of all bound databases, the directory first, then by their numbers. */
export function databaseNames(env: Env): string[] {
  const shards = Object.keys(env).flatMap((name) => shardOfDatabase(name) || []);
  return [DIRECTORY, ...shards.sort((a, b) => a - b).map((shard) => `${DIRECTORY}_${shard}`)];
}

/** The shard that a database is the home of; undefined for a name that is none of a database. */
export function shardOfDatabase(name: string): number | undefined {
  if (name === DIRECTORY) return 0;
  const [, digits] = /^DB_([1-9]\d{0,4})$/.exec(name) ?? [];
  return digits !== undefined && isShard(Number(digits)) ? Number(digits) : undefined;
}

/**
 * Databases in which something of a shard can be, its home first. An identifier that is none of ours names any shard:
 * nothing of it is anywhere, so it may be looked for in the first database.
 */
export function placesOfShard(env: Env, shard: number): [string, ...string[]] {
  const { places } = knownMap(env);
  const home = places.get(String(shard)) ?? numbered(env, shard) ?? DIRECTORY;
  if (places.size === 0) return [home];
  // Accounts that were moved by themselves keep the number of their shard.
  const moved = [...places].flatMap(([subject, name]) => (shardOfSubject(subject) === shard ? name : []));
  return [home, ...new Set(moved.filter((name) => name !== home))];
}

function shardOfSubject(subject: string): number | undefined {
  return subject.includes('-') ? shardOf(subject) : undefined;
}

/** The database of an account; null where none of that number is bound. */
export function placeOfAccount(env: Env, accountId: string): string | null {
  const { places } = knownMap(env);
  const shard = shardOf(accountId);
  return places.get(accountId) ?? places.get(String(shard)) ?? numbered(env, shard);
}
