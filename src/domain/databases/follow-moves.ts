import type { Env } from '../../platform/env.ts';
import { shardOf } from '../../platform/ids.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { Lru } from '../../platform/lru.ts';
import { backOff } from '../../platform/transient-error.ts';
import { type Context, inAccount, inDatabase, isHere, ownSession } from '../context.ts';
import { AccountMoved, beingMoved, moveRefusal } from '../moved.ts';
import { databaseNames, isMapKnown, keepMap, knownMap, placesOfShard, type ShardMap } from '../shard-map.ts';
import { shardPlaces } from './table.ts';

const ATTEMPTS_MAX = 5;

/**
 * Runs `work`, and again with a newer map if an account has moved away. Refused writes have changed nothing. Throws
 * `unavailable` while an account is being moved. `work` gets the number of its attempt, from 1.
 */
export async function followMoves<T>(ctx: Pick<Context, 'env'>, work: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const { version } = knownMap(ctx.env);
    try {
      return await work(attempt);
    } catch (error) {
      const refusal = moveRefusal(error);
      if (!refusal) throw error;
      if (refusal === 'moving' || attempt === ATTEMPTS_MAX) throw beingMoved();
      await readMap(ctx);
      // Another request may have read a newer map meanwhile; otherwise the map is about to change.
      if (attempt > 1 && knownMap(ctx.env).version === version) await backOff(attempt);
    }
  }
}

/** Writes are refused for seconds. If the command dies, the account is released after a minute. */
const NOTE_MS_MAX = 90_000;
const NOTE_PAUSE_MS = 200;

/**
 * Records an action outside the database, for an account that may be moving: without the record, the action would be
 * repeated. Waits while writes are refused.
 */
export async function recordAtHome<C extends Context, T>(
  ctx: C,
  accountId: string,
  note: (home: C) => Promise<T>,
): Promise<T> {
  const until = Date.now() + NOTE_MS_MAX;
  for (let home = ctx; ; home = inAccount(ctx, accountId)) {
    try {
      return await note(home);
    } catch (error) {
      if (!moveRefusal(error) || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, NOTE_PAUSE_MS));
      await readMap(ctx);
    }
  }
}

/**
 * Runs `ask`, which uses the map. An isolate that has not read the map yet reads it at the same time, and runs `ask`
 * again if the map differs. Nobody waits for one after the other.
 */
export async function byMap<T>(ctx: Pick<Context, 'env'>, ask: () => Promise<T>): Promise<T> {
  const { env } = ctx;
  if (isMapKnown(env) || databaseNames(env).length === 1) return followMoves(ctx, ask);
  const { version } = knownMap(env);
  const [answer] = await Promise.allSettled([ask(), readMap(ctx)]);
  if (knownMap(env).version !== version) return followMoves(ctx, ask);
  if (answer.status === 'fulfilled') return answer.value;
  if (moveRefusal(answer.reason)) return followMoves(ctx, ask);
  throw answer.reason;
}

/**
 * Databases in which things were last found, by name, if not in the home of their shard. Only the order of the queries
 * depends on it: if the account has moved on, its copy is refused or gone, and the others are asked.
 */
const placesSeen = new Lru<string>(10_000);

/**
 * Finds something in a shard: in its home database, or in those that accounts of it were moved to. One query is enough
 * without moved accounts, or if this isolate has seen the thing called `name`. `find` throws `AccountMoved` for rows of
 * a copy (`refuseCopy`).
 */
export function findInShard<C extends Context, T>(
  ctx: C,
  { shard, name }: { shard: number; name?: string },
  find: (ctx: C) => Promise<T | undefined>,
): Promise<T | undefined> {
  return byMap(ctx, async () => {
    const places = placesOfShard(ctx.env, shard);
    const seen = name !== undefined && places.length > 1 ? placesSeen.get(name) : undefined;
    let moved: AccountMoved | undefined;
    for (const place of seen && places.includes(seen) ? new Set([seen, ...places]) : places) {
      const there = inDatabase(ctx, place);
      try {
        const found = await find(there);
        if (found === undefined) continue;
        if (name !== undefined && place !== seen) noteSeen(name, place, places[0]);
        return found;
      } catch (error) {
        if (!(error instanceof AccountMoved)) throw error;
        // Ignore a copy, unless the map says that the account lives here: then the map is outdated.
        if (isHere(there, error.accountId)) moved = error;
      }
    }
    if (moved) throw moved;
    return undefined;
  });
}

/** Returns where `findInShard` looks for the thing with an identifier. */
export const byIdentifier = (id: string): { shard: number; name: string } => ({ shard: shardOf(id), name: id });

function noteSeen(name: string, place: string, home: string): void {
  if (place === home) placesSeen.delete(name);
  else placesSeen.set(name, place);
}

/** Maximum age of an isolate's map. A database that an account moved away from refuses its writes at once. */
const FRESH_MS = 30_000;

/** When this isolate last asked for the map, by directory. */
const askedAt = new WeakMap<D1Database, number>();

type Refreshing = Pick<Context, 'env' | 'requestId' | 'waitUntil'>;

/** Reads the map and keeps it in memory. One round trip, in a separate session. */
export async function readMap(ctx: Pick<Context, 'env'>): Promise<ShardMap> {
  const { env } = ctx;
  keepPlaces(env, await ownSession({ env }).select().from(shardPlaces));
  return knownMap(env);
}

/** Keeps all rows of the map in memory. */
export function keepPlaces(env: Env, rows: (typeof shardPlaces.$inferSelect)[]): void {
  const version = Math.max(0, ...rows.map((row) => row.version));
  keepMap(env, { version, places: new Map(rows.map(({ subject, database }) => [subject, database])) });
}

/**
 * Reads the map after the reply if it may be old. Nobody waits: without an entry, an account is where its number says.
 */
export function refreshMap(ctx: Refreshing): void {
  if (!isOld(ctx)) return;
  ctx.waitUntil(
    readMap(ctx).then(undefined, (error: unknown) => {
      askedAt.delete(ctx.env.DB);
      logLine('error', { event: 'shard-map', requestId: ctx.requestId, error: describeError(error) });
    }),
  );
}

/** Reads the map before the first work of an isolate that can wait; later the same as `refreshMap`. */
export async function ensureMap(ctx: Refreshing): Promise<void> {
  if (isMapKnown(ctx.env) || databaseNames(ctx.env).length === 1) return refreshMap(ctx);
  askedAt.set(ctx.env.DB, Date.now());
  await readMap(ctx);
}

function isOld({ env }: Refreshing): boolean {
  if (databaseNames(env).length === 1) return false;
  const now = Date.now();
  if (now - (askedAt.get(env.DB) ?? Number.NEGATIVE_INFINITY) < FRESH_MS) return false;
  askedAt.set(env.DB, now);
  return true;
}
