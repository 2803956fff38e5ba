import { and, eq, inArray } from 'drizzle-orm';
import { describeError, logLine } from '../../platform/log.ts';
import { type Context, inDatabase } from '../context.ts';
import { runInPages } from '../purge.ts';
import { DIRECTORY, databaseNames, placeOfAccount } from '../shard-map.ts';
import { auditEntries } from './table.ts';

/** Entries per page; each takes one statement. */
const PAGE_ENTRIES = 50;

/**
 * Cron task, also run after changes to people: forwards entries that were written in another database than their
 * account's to the account's log. An interrupted run is repeated, and inserts each entry once.
 */
export async function forwardEntries(ctx: Context): Promise<void> {
  if (databaseNames(ctx.env).length === 1) return;
  await runInPages(() => forwardPage(ctx), { enough: PAGE_ENTRIES });
}

/** Forwards the entries that a request has just written. The cron repeats what fails. */
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
