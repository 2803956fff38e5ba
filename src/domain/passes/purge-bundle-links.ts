import { and, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { livesHere } from '../moved.ts';
import { runWeekly } from '../purge.ts';
import { bundleLinks, passes } from './table.ts';

/** Days for which an empty bundle keeps its link. */
export const EMPTY_BUNDLE_DAYS = 90;

const DAY_MS = 24 * 60 * 60_000;

/**
 * Cron task: marks bundles without passes and deletes the links of those that have been empty for months. Checks each
 * link once a week. May run twice at once.
 */
export async function purgeBundleLinks(ctx: Context, now = Date.now()): Promise<void> {
  const isOwn = livesHere(bundleLinks.accountId);
  await runWeekly(ctx, bundleLinks, now, (isHere) => purgePage(ctx, sql`${isHere} and ${isOwn}`, now));
}

async function purgePage(ctx: Context, isHere: SQL, now: number): Promise<void> {
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
