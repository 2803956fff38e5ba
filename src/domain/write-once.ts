import { createHash } from 'node:crypto';
import { backOff } from '../platform/back-off.ts';
import { seededUuid, shardOf, uuidv7 } from '../platform/ids.ts';
import { GaveUp, isTransient } from '../platform/transient-error.ts';
import type { Context, OwnerContext, RepeatableRequest } from './context.ts';
import { DomainError } from './errors.ts';

/*
 * A write whose request dies must not be done twice (docs/architecture.md, "Repeated requests"): what a repeated
 * request creates has the same identifier each time, so the database refuses the second one.
 */

const ATTEMPTS_MAX = 5;

/**
 * The identifier of what a request creates in its account. It is the same in each repeat, so `purpose` and `ordinal`
 * must be unique in the request; outside of requests that are repeated it is a new one.
 */
export function newId(
  ctx: Pick<OwnerContext, 'account' | 'repeatable' | 'identifiers'>,
  purpose: string,
  ordinal = 0,
): string {
  return newIdIn(ctx, shardOf(ctx.account.id), purpose, ordinal);
}

/** Like `newId`, in a shard that is not the account's. */
export function newIdIn(
  { repeatable, identifiers }: Pick<Context, 'repeatable' | 'identifiers'>,
  shard: number,
  purpose: string,
  ordinal = 0,
): string {
  const name = nameOf(purpose, ordinal);
  const noted = identifiers?.get(name);
  // An account above it may have moved to another shard meanwhile.
  const isOfShard = noted !== undefined && shardOf(noted) === shard;
  const id = isOfShard ? noted : repeatable ? seeded(repeatable, shard, name, ordinal) : uuidv7(shard);
  identifiers?.set(name, id);
  return id;
}

/** Lets `newId` return this identifier when the request is done again: that of what has been written. */
export function noteId({ identifiers }: Pick<Context, 'identifiers'>, purpose: string, id: string): void {
  identifiers?.set(nameOf(purpose), id);
}

const nameOf = (purpose: string, ordinal = 0) => `${purpose} ${ordinal}`;

function seeded({ seed, since }: RepeatableRequest, shard: number, name: string, ordinal: number): string {
  const digest = createHash('sha256').update(`${seed} ${name}`).digest();
  return seededUuid(digest, { shard, millis: since, ordinal });
}

/**
 * Runs a write and returns its result. A write that may have been committed before, by an earlier request with the key
 * or although D1 reported a transient error, runs only if `find` does not find what it leaves; else that is returned.
 * `write` must fail where it would be done a second time. One round trip more, for those only.
 */
export async function writeOnce<T>(
  { repeatable }: Pick<Context, 'repeatable'>,
  find: () => Promise<T | undefined>,
  write: () => Promise<T>,
): Promise<T> {
  const standing = repeatable?.isRepeat ? await find() : undefined;
  if (standing !== undefined) return standing;
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      const mayRepeat = isTransient(error);
      // A refusal stands, unless what is refused may be standing in its own way.
      const mayStand = error instanceof DomainError ? attempt > 1 || repeatable?.isRepeat : repeatable;
      if (!(mayStand || mayRepeat)) throw error;
      const found = await find();
      if (found !== undefined) return found;
      if (!mayRepeat) throw error;
      if (attempt === ATTEMPTS_MAX) throw new GaveUp(error);
      await backOff(attempt);
    }
  }
}
