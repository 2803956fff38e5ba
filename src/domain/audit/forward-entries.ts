import { and, eq, inArray } from 'drizzle-orm';
import { describeError, logLine } from '../../platform/log.ts';
import { type Context, inDatabase } from '../context.ts';
import { inPages } from '../purge.ts';
import { DIRECTORY, databaseNames, placeOfAccount } from '../shard-map.ts';
import { auditEntries } from './table.ts';

/** Entries of one page: each is a statement. */
const PAGE_ENTRIES = 50;

/**
 * Cron task, and the end of what is done to people: brings entries that were written with their change, but in another
 * database than their account's, to their log. What dies in the middle is done again, and an entry is there once.
 */
export async function forwardEntries(ctx: Context): Promise<void> {
  if (databaseNames(ctx.env).length === 1) return;
  await inPages(() => forwardPage(ctx), { enough: PAGE_ENTRIES });
}

/** The same for a request that has just written such entries; what fails is left to the cron. */
export async function forwardOwnEntries(ctx: Context): Promise<void> {
  try {
    await forwardEntries(ctx);
  } catch (error) {
    logLine('error', { event: 'audit-entries', requestId: ctx.requestId, error: describeError(error) });
  }
}

async function forwardPage(ctx: Context): Promise<number> {
  const { env, database: here = DIRECTORY } = ctx;
  const away = await ctx.db.select().from(auditEntries).where(eq(auditEntries.isAway, true)).limit(PAGE_ENTRIES);
  for (const [place, entries] of Map.groupBy(away, ({ accountId }) => placeOfAccount(env, accountId))) {
    if (place === null) continue;
    const isOne = and(
      eq(auditEntries.isAway, true),
      inArray(
        auditEntries.id,
        entries.map(({ id }) => id),
      ),
    );
    if (place === here) {
      await ctx.db.update(auditEntries).set({ isAway: null }).where(isOne);
      continue;
    }
    const { db } = inDatabase(ctx, place);
    const [first, ...rest] = entries.map((entry) =>
      db
        .insert(auditEntries)
        .values({ ...entry, isAway: null })
        .onConflictDoNothing(),
    );
    await db.batch([first!, ...rest]);
    await ctx.db.delete(auditEntries).where(isOne);
  }
  return away.length;
}
