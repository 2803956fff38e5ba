import { and, isNotNull, isNull, lte, or, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { inPages, PAGE_ROWS } from '../purge.ts';
import { bundleLinks, passes } from './table.ts';

/** For how long a bundle that has lost its last pass gets the same link again. */
export const EMPTY_BUNDLE_DAYS = 90;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Each minute of a week has its part of the rows, so that a link is looked at once a week. */
const PARTS = 7 * 24 * 60;

/**
 * Cron task: notes which bundles have no passes, and deletes the links of those that have had none for months. Reads
 * two rows for each link of this minute's part, and the last row of the table. May run twice at once.
 */
export async function purgeBundleLinks(ctx: Context, now = Date.now()): Promise<void> {
  const [table] = await ctx.db.select({ last: sql<number | null>`max(rowid)` }).from(bundleLinks);
  const part = Math.floor(now / MINUTE_MS) % PARTS;
  const last = table?.last ?? 0;
  const end = Math.floor((last * (part + 1)) / PARTS);
  let after = Math.floor((last * part) / PARTS);
  await inPages(async () => {
    if (after >= end) return 0;
    await lookAt(ctx, after, Math.min(after + PAGE_ROWS, end), now);
    after += PAGE_ROWS;
    return 1;
  });
}

/** Looks at the links behind row `after` up to row `last`. */
async function lookAt(ctx: Context, after: number, last: number, now: number): Promise<void> {
  const isHere = sql`rowid > ${after} and rowid <= ${last}`;
  const hasPasses = sql`exists (select 1 from ${passes} where ${passes.accountId} = ${bundleLinks.accountId}
    and ${passes.bundleId} = ${bundleLinks.bundleId})`;
  const isEmpty = sql`not ${hasPasses}`;
  const { emptySinceAt } = bundleLinks;
  await ctx.db.batch([
    ctx.db.delete(bundleLinks).where(and(isHere, lte(emptySinceAt, now - EMPTY_BUNDLE_DAYS * DAY_MS), isEmpty)),
    ctx.db
      .update(bundleLinks)
      .set({ emptySinceAt: sql`iif(${emptySinceAt} is null, ${now}, null)` })
      .where(and(isHere, or(and(isNull(emptySinceAt), isEmpty), and(isNotNull(emptySinceAt), hasPasses)))),
  ]);
}
