import { sql } from 'drizzle-orm';
import { type Context, inDirectory } from '../context.ts';
import { readMap } from './read-map.ts';
import { shardPlaces } from './table.ts';

/** Says in the map that an account lives in a database from now on: the version rises, and this isolate knows it. */
export async function placeAccount(ctx: Context, accountId: string, database: string): Promise<void> {
  const version = sql<number>`(select coalesce(max(version), 0) + 1 from ${shardPlaces})`;
  await inDirectory(ctx)
    .db.insert(shardPlaces)
    .values({ subject: accountId, database, version })
    .onConflictDoUpdate({
      target: shardPlaces.subject,
      set: { database, version },
      setWhere: sql`${shardPlaces.database} <> ${database}`,
    });
  await readMap(ctx);
}
