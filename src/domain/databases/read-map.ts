import type { Env } from '../../platform/env.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { type Context, ownSession } from '../context.ts';
import { databaseNames, isMapKnown, keepMap, knownMap, type ShardMap } from '../shard-map.ts';
import { shardPlaces } from './table.ts';

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
