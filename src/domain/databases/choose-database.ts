import type { Context } from '../context.ts';
import { DomainError, invalidField } from '../errors.ts';
import { DIRECTORY, shardOfDatabase } from '../shard-map.ts';
import { DATABASE_BYTES_MAX, usedDatabases } from './list-databases.ts';

/** A database takes no new accounts when so much of it is full: those that it has grow. */
export const FULL_SHARE = 0.8;

/**
 * The shard for a new account: the home of the open database with the most room when it was last measured, or of the
 * one that is named. One round trip, and none where there is one database. Throws `conflict` when all are full or
 * closed, and `invalid` for an unknown name.
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
  if (!first) throw new DomainError('conflict', `No database takes new accounts; add one, or open ${DIRECTORY}`);
  return shardOfDatabase(others.reduce((best, one) => (one.bytes < best.bytes ? one : best), first).name)!;
}
