import { sql } from 'drizzle-orm';
import { mapConcurrent } from '../../platform/map-concurrent.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { accounts } from '../accounts/table.ts';
import { type Context, inDatabase, inDirectory } from '../context.ts';
import { DIRECTORY, databaseNames } from '../shard-map.ts';
import { templates } from '../templates/table.ts';
import { databases } from './table.ts';

/** What a D1 database can hold (Cloudflare, D1 "Limits"). */
export const DATABASE_BYTES_MAX = 10_000_000_000;
const AT_A_TIME = 4;

/** A database that the service uses. */
export interface UsedDatabase {
  name: string;
  /** Whether new accounts may live there. */
  isOpen: boolean;
}

/** The databases that the service uses and has bound, the directory first. One round trip, or none for one database. */
export async function usedDatabases(ctx: Context): Promise<UsedDatabase[]> {
  const names = databaseNames(ctx.env);
  if (names.length === 1) return [{ name: DIRECTORY, isOpen: true }];
  const rows = await inDirectory(ctx).db.select().from(databases);
  const isOpen = new Map(rows.map((row) => [row.name, row.isOpen]));
  return names.flatMap((name) => {
    const used = isOpen.get(name) ?? (name === DIRECTORY ? true : undefined);
    return used === undefined ? [] : [{ name, isOpen: used }];
  });
}

/** Does something in each database that the service uses, and returns the results in the order of the databases. */
export async function inEachDatabase<C extends Context, T>(
  ctx: C,
  work: (ctx: C, database: UsedDatabase) => Promise<T>,
): Promise<T[]> {
  return mapConcurrent(await usedDatabases(ctx), AT_A_TIME, (one) => work(inDatabase(ctx, one.name), one));
}

/** What a database holds. */
export interface DatabaseFacts extends UsedDatabase {
  bytes: number;
  accounts: number;
  passes: number;
}

/** The databases with what they hold. One round trip for each. */
export async function listDatabases(ctx: Context): Promise<DatabaseFacts[]> {
  const list: DatabaseFacts[] = [];
  // One after the other: the size comes with the last answer.
  for (const one of await usedDatabases(ctx)) {
    const { db, meter } = inDatabase(ctx, one.name);
    const [counted] = await rawStatement<{ accounts: number; passes: number }>(
      db,
      sql`select (select count(*) from ${accounts}) as accounts, (select coalesce(sum(pass_count), 0) from ${templates}) as passes`,
    );
    list.push({ ...one, ...counted!, bytes: meter.databaseBytes ?? 0 });
  }
  return list;
}
