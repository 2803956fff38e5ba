import { type Context, inDatabase } from '../context.ts';
import { invalidField } from '../errors.ts';
import { DIRECTORY } from '../shard-map.ts';
import { usedDatabases } from './list-databases.ts';

/**
 * Place at which a walk through all databases continues: in others than the first, it begins with the database's name.
 */
const PLACE = /^(?:(DB_\d+)\/)?(.*)$/s;

/** Databases per call; most have little to do. */
const DATABASES_MAX = 10;

interface Walk<R> {
  /** The `next` of the previous part; absent at the start. */
  after: string | undefined;
  work: (ctx: Context, after: string | undefined) => Promise<R>;
  /** Merges the results of two parts; `next` is set afterwards. */
  together: (a: R, b: R) => R;
}

/**
 * Runs the next part of a walk through the databases, one after another: up to one with more left than a part holds, or
 * through ten. Throws `invalid` for an unknown place.
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
