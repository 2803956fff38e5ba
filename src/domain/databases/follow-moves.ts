import { backOff } from '../../platform/back-off.ts';
import { type Context, inAccount, inDatabase, isHere } from '../context.ts';
import { AccountMoved, beingMoved, moveRefusal } from '../moved.ts';
import { databaseNames, isMapKnown, knownMap, placesOfShard } from '../shard-map.ts';
import { readMap } from './read-map.ts';

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
 * Finds something in a shard: in its home database, or in those that accounts of it were moved to. Without moved
 * accounts, one query is enough. `find` throws `AccountMoved` for rows of a copy (`refuseCopy`).
 */
export function findInShard<C extends Context, T>(
  ctx: C,
  shard: number,
  find: (ctx: C) => Promise<T | undefined>,
): Promise<T | undefined> {
  return byMap(ctx, async () => {
    let moved: AccountMoved | undefined;
    for (const name of placesOfShard(ctx.env, shard)) {
      const there = inDatabase(ctx, name);
      try {
        const found = await find(there);
        if (found !== undefined) return found;
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
