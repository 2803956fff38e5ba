import { createHash } from 'node:crypto';
import { seededUuid, shardOf, uuidv7 } from '../platform/ids.ts';
import { backOff, isTransient, RetriesExhausted } from '../platform/transient-error.ts';
import type { Context, OwnerContext, RepeatableRequest } from './context.ts';
import { DomainError } from './errors.ts';

/*
 * A write whose request died must not run twice (docs/architecture.md, "Repeated requests"). A repeated request creates
 * the same identifiers, so the database rejects the second write.
 */

const ATTEMPTS_MAX = 5;

/**
 * Returns the identifier of a resource that a request creates in its account. Repeats of the request get the same one,
 * so `purpose` and `ordinal` must be unique in the request. Requests that can't be repeated get a new one.
 */
export function newId(
  ctx: Pick<OwnerContext, 'account' | 'repeatable' | 'identifiers'>,
  purpose: string,
  ordinal = 0,
): string {
  return newIdIn(ctx, shardOf(ctx.account.id), purpose, ordinal);
}

/** Like `newId`, in a shard other than the account's. */
export function newIdIn(
  { repeatable, identifiers }: Pick<Context, 'repeatable' | 'identifiers'>,
  shard: number,
  purpose: string,
  ordinal = 0,
): string {
  const name = nameOf(purpose, ordinal);
  const noted = identifiers?.get(name);
  // An account above it may have moved to another shard in the meantime.
  const isOfShard = noted !== undefined && shardOf(noted) === shard;
  const id = isOfShard ? noted : repeatable ? seeded(repeatable, shard, name, ordinal) : uuidv7(shard);
  identifiers?.set(name, id);
  return id;
}

/** Makes `newId` return this identifier, that of a stored resource, if the request runs again. */
export function noteId({ identifiers }: Pick<Context, 'identifiers'>, purpose: string, id: string): void {
  identifiers?.set(nameOf(purpose), id);
}

const nameOf = (purpose: string, ordinal = 0) => `${purpose} ${ordinal}`;

function seeded({ seed, since }: RepeatableRequest, shard: number, name: string, ordinal: number): string {
  const digest = createHash('sha256').update(`${seed} ${name}`).digest();
  return seededUuid(digest, { shard, millis: since, ordinal });
}

/**
 * Runs a write and returns its result. If an earlier request with the key, or an attempt that ended with a transient D1
 * error, may have committed it, `find` looks for its result first and that is returned. `write` must fail if run twice.
 * One more round trip in those cases only.
 */
export async function writeOnce<T>(
  { repeatable }: Pick<Context, 'repeatable'>,
  find: () => Promise<T | undefined>,
  write: () => Promise<T>,
): Promise<T> {
  const existing = repeatable?.isRepeat ? await find() : undefined;
  if (existing !== undefined) return existing;
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      const canRepeat = isTransient(error);
      // A refusal stands, unless the resource's own first write may be its cause.
      const canExist = error instanceof DomainError ? attempt > 1 || repeatable?.isRepeat : repeatable;
      if (!(canExist || canRepeat)) throw error;
      const found = await find();
      if (found !== undefined) return found;
      if (!canRepeat) throw error;
      if (attempt === ATTEMPTS_MAX) throw new RetriesExhausted(error);
      await backOff(attempt);
    }
  }
}
