import { sql } from 'drizzle-orm';
import { type Context, inDirectory } from '../context.ts';
import { readMap } from './read-map.ts';
import { shardPlaces } from './table.ts';

/** Records in the map that an account now lives in a database. Increases the version, and updates this isolate. */
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
