import { eq, sql } from 'drizzle-orm';
import { type Context, inDirectory } from '../context.ts';
import { keepPlaces } from './follow-moves.ts';
import { shardPlaces } from './table.ts';

/** Returns the account's entry in the map; undefined if it has never moved. */
export async function findPlace(ctx: Context, accountId: string) {
  const { db } = inDirectory(ctx);
  const [row] = await db.select().from(shardPlaces).where(eq(shardPlaces.subject, accountId));
  return row;
}

/** Returns the version of the map in which the account's database last changed; 0 if it never has. */
export async function placedAt(ctx: Context, accountId: string): Promise<number> {
  return (await findPlace(ctx, accountId))?.version ?? 0;
}

/**
 * Records in the map that an account now lives in a database, unless it has moved since version `seen`. Increases the
 * version, and updates this isolate.
 */
export async function placeAccount(ctx: Context, accountId: string, database: string, seen: number): Promise<void> {
  const version = sql<number>`(select coalesce(max(version), 0) + 1 from ${shardPlaces})`;
  const { db } = inDirectory(ctx);
  const place = db
    .insert(shardPlaces)
    .values({ subject: accountId, database, version })
    .onConflictDoUpdate({
      target: shardPlaces.subject,
      set: { database, version },
      setWhere: sql`${shardPlaces.database} <> ${database} and ${shardPlaces.version} = ${seen}`,
    });
  const [, rows] = await db.batch([place, db.select().from(shardPlaces)]);
  keepPlaces(ctx.env, rows);
}
