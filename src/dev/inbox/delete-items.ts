import { eq, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../../domain/context.ts';
import { ALL, pageOf, runInPages } from '../../domain/purge.ts';
import { inboxItems } from './table.ts';

/** A local service keeps items for a week, up to this number. */
const RETENTION_DAYS = 7;
const ITEMS_MAX = 10_000;
/** Keys that R2 deletes in one call (R2, "delete"). */
const FILES_MAX = 1_000;

/** Deletes one item with its files, or all of them. */
export function deleteItems(ctx: Context, key?: number): Promise<void> {
  return remove(ctx, key === undefined ? undefined : eq(inboxItems.key, key));
}

/** Deletes old items. */
export function purgeItems(ctx: Context): Promise<void> {
  const before = Date.now() - RETENTION_DAYS * 24 * 60 * 60_000;
  const newest = sql`(select max(key) from ${inboxItems})`;
  return remove(ctx, or(lt(inboxItems.createdAt, before), sql`${inboxItems.key} <= ${newest} - ${ITEMS_MAX}`));
}

function remove(ctx: Context, condition: SQL | undefined): Promise<void> {
  return runInPages(() => removePage(ctx, condition), ALL);
}

/** Deletes a page of items. Returns their number. */
async function removePage(ctx: Context, condition: SQL | undefined): Promise<number> {
  const page = pageOf(inboxItems, condition);
  const removed = await ctx.db.delete(inboxItems).where(page).returning({ files: inboxItems.files });
  const keys = removed.flatMap(({ files }) => files.map(({ key }) => key));
  for (let at = 0; at < keys.length; at += FILES_MAX) await ctx.env.FILES.delete(keys.slice(at, at + FILES_MAX));
  return removed.length;
}
