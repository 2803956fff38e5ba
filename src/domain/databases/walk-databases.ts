import { type Context, inDatabase } from '../context.ts';
import { invalidField } from '../errors.ts';
import { DIRECTORY } from '../shard-map.ts';
import { usedDatabases } from './list-databases.ts';

/** Where a walk through all databases goes on: in the first one by the place alone, in another behind its name. */
const PLACE = /^(?:(DB_\d+)\/)?(.*)$/s;

/** Databases of one call, most of which have little to do. */
const DATABASES_MAX = 10;

interface Walk<R> {
  /** The `next` of the part before; absent at the beginning. */
  after: string | undefined;
  work: (ctx: Context, after: string | undefined) => Promise<R>;
  /** What two parts are together; `next` is set behind it. */
  together: (a: R, b: R) => R;
}

/**
 * Does the next part of a walk that goes through one database after the other: up to where one has more left than a
 * part holds, or through ten of them. Throws `invalid` for a place that there is not.
 */
export async function walkDatabases<R extends { next: string | null }>(
  ctx: Context,
  { after, work, together }: Walk<R>,
): Promise<R> {
  const names = (await usedDatabases(ctx)).map(({ name }) => name);
  const [, name = DIRECTORY, place = ''] = PLACE.exec(after ?? '') ?? [];
  const start = names.indexOf(name);
  if (start < 0) throw invalidField('after', 'must be the value of "next" from an earlier run');
  let done: R | undefined;
  for (const [i, database] of names.slice(start, start + DATABASES_MAX).entries()) {
    const part = await work(inDatabase(ctx, database), (i === 0 && place) || undefined);
    done = done ? together(done, part) : part;
    if (part.next !== null) return { ...done, next: database === DIRECTORY ? part.next : `${database}/${part.next}` };
  }
  const following = names[start + DATABASES_MAX];
  return { ...done!, next: following === undefined ? null : `${following}/` };
}
