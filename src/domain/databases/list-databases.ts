import { sql } from 'drizzle-orm';
import { mapConcurrent } from '../../platform/concurrency.ts';
import { addWork } from '../../platform/db.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { accounts } from '../accounts/table.ts';
import { type Context, inDatabase, inDirectory, openSeparately } from '../context.ts';
import { DIRECTORY, databaseNames } from '../shard-map.ts';
import { templates } from '../templates/table.ts';
import { databases } from './table.ts';

/** Maximum size of a D1 database (Cloudflare, D1 "Limits"). */
export const DATABASE_BYTES_MAX = 10_000_000_000;
const AT_A_TIME = 4;

/** A database that the service uses. */
interface UsedDatabase {
  name: string;
  /** Whether new accounts may live there. */
  isOpen: boolean;
  /** Size in bytes when its cron last measured it; for the directory, the current size. 0: unknown. */
  bytes: number;
}

/** Lists the bound databases that the service uses, the directory first. One round trip, or none for one database. */
export async function usedDatabases(ctx: Context): Promise<UsedDatabase[]> {
  const names = databaseNames(ctx.env);
  if (names.length === 1) return [{ name: DIRECTORY, isOpen: true, bytes: 0 }];
  const directory = inDirectory(ctx);
  const rows = await directory.db.select().from(databases);
  // Each response of D1 includes the size.
  const here = directory.meter.databaseBytes ?? 0;
  const known = new Map(rows.map((row) => [row.name, row]));
  return names.flatMap((name) => {
    const row = known.get(name);
    if (name === DIRECTORY) return [{ name, isOpen: row?.isOpen ?? true, bytes: here }];
    return row ? [{ name, isOpen: row.isOpen, bytes: (row.measured as Partial<Kept> | null)?.databaseBytes ?? 0 }] : [];
  });
}

/** Runs `work` in each database that the service uses. Returns the results in the order of the databases. */
export async function forEachDatabase<C extends Context, T>(
  ctx: C,
  work: (ctx: C, database: UsedDatabase) => Promise<T>,
): Promise<T[]> {
  return mapConcurrent(await usedDatabases(ctx), AT_A_TIME, (one) => work(inDatabase(ctx, one.name), one));
}

/** The part of a stored measurement (`monitoring/samples.ts`) that is used here. */
interface Kept {
  databaseBytes: number;
}

/** A database and its counts. */
export interface DatabaseFacts extends UsedDatabase {
  accounts: number;
  passes: number;
}

/** Lists the databases with their current counts. One round trip for each, in parallel. */
export function listDatabases(ctx: Context): Promise<DatabaseFacts[]> {
  return forEachDatabase(ctx, async (_, one) => {
    // A separate session, whose response includes the size of this database.
    const { db, meter, bookmark } = openSeparately(ctx, one.name);
    const [counted] = await rawStatement<{ accounts: number; passes: number }>(
      db,
      sql`select (select count(*) from ${accounts} where lives_in is null) as accounts, (select coalesce(sum(pass_count), 0)
        from ${templates} where not exists (select 1 from ${accounts} where id = ${templates.accountId} and lives_in is not null)) as passes`,
    );
    addWork(ctx.meter, { ...meter, bookmark: bookmark() });
    return { ...one, ...counted!, bytes: meter.databaseBytes ?? 0 };
  });
}
