import type { Context } from '../context.ts';
import { DomainError, invalidField } from '../errors.ts';
import { DIRECTORY, shardOfDatabase } from '../shard-map.ts';
import { DATABASE_BYTES_MAX, usedDatabases } from './list-databases.ts';

/** A database takes no new accounts beyond this share of its capacity, because its accounts grow. */
export const FULL_SHARE = 0.8;

/**
 * Returns the shard for a new account: that of the named database, or of the open one with the most room when last
 * measured. One round trip, none with a single database. Throws `conflict` if all are full or closed, and `invalid` for
 * an unknown name.
 */
export async function chooseShard(ctx: Context, named?: string): Promise<number> {
  const used = await usedDatabases(ctx);
  if (named !== undefined) {
    if (!used.some(({ name }) => name === named))
      throw invalidField('database', `must be one of ${used.map(({ name }) => name).join(', ')}`);
    return shardOfDatabase(named)!;
  }
  if (used.length === 1) return 0;
  const open = used.filter(({ isOpen, bytes }) => isOpen && bytes < DATABASE_BYTES_MAX * FULL_SHARE);
  const [first, ...others] = open;
  if (!first) throw new DomainError('conflict', `No database accepts new accounts; add one, or open ${DIRECTORY}`);
  return shardOfDatabase(others.reduce((best, one) => (one.bytes < best.bytes ? one : best), first).name)!;
}
