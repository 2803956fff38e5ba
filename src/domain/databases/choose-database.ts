import { sql } from 'drizzle-orm';
import { type Context, inDatabase } from '../context.ts';
import { DomainError, invalidField } from '../errors.ts';
import { DIRECTORY, shardOfDatabase } from '../shard-map.ts';
import { DATABASE_BYTES_MAX, usedDatabases } from './list-databases.ts';

/** A database takes no new accounts when so much of it is full: those that it has grow. */
const FULL_SHARE = 0.8;

/**
 * The shard for a new account: the home of the open database with the most room, or of the one that is named. No round
 * trip where there is one database. Throws `conflict` when all are full or closed, and `invalid` for an unknown name.
 */
export async function chooseShard(ctx: Context, named?: string): Promise<number> {
  const used = await usedDatabases(ctx);
  if (named !== undefined) {
    if (!used.some(({ name }) => name === named))
      throw invalidField('database', `must be one of ${used.map(({ name }) => name).join(', ')}`);
    return shardOfDatabase(named)!;
  }
  if (used.length === 1) return 0;
  let best = { name: '', bytes: DATABASE_BYTES_MAX * FULL_SHARE };
  for (const { name, isOpen } of used) {
    if (!isOpen) continue;
    const { db, meter } = inDatabase(ctx, name);
    await db.run(sql`select 1`);
    if ((meter.databaseBytes ?? 0) < best.bytes) best = { name, bytes: meter.databaseBytes ?? 0 };
  }
  if (best.name === '')
    throw new DomainError('conflict', `No database takes new accounts; add one, or open ${DIRECTORY}`);
  return shardOfDatabase(best.name)!;
}
