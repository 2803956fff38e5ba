import { type Context, inDatabase } from '../context.ts';
import { invalidField } from '../errors.ts';
import { DIRECTORY } from '../shard-map.ts';
import { usedDatabases } from './list-databases.ts';

/** Where a walk through all databases goes on: in the first one by the place alone, in another behind its name. */
const PLACE = /^(?:(DB_\d+)\/)?(.*)$/s;

/**
 * Does the next part of a walk that goes through one database after the other; `after` is the `next` of the part
 * before, absent at the beginning. Throws `invalid` for a place that there is not.
 */
export async function walkDatabases<R extends { next: string | null }>(
  ctx: Context,
  after: string | undefined,
  work: (ctx: Context, after: string | undefined) => Promise<R>,
): Promise<R> {
  const names = (await usedDatabases(ctx)).map(({ name }) => name);
  const [, name = DIRECTORY, place = ''] = PLACE.exec(after ?? '') ?? [];
  const at = names.indexOf(name);
  if (at < 0) throw invalidField('after', 'must be the value of "next" from an earlier run');
  const result = await work(inDatabase(ctx, name), place || undefined);
  const following = names[at + 1];
  if (result.next !== null) return { ...result, next: name === DIRECTORY ? result.next : `${name}/${result.next}` };
  return { ...result, next: following === undefined ? null : `${following}/` };
}
