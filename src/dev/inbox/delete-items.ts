import { eq, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { hasOutbox } from './leave-in-outbox.ts';
import { outboxItems } from './table.ts';

/** What a local service keeps: items of a week, and no more than these. */
const RETENTION_DAYS = 7;
const ITEMS_MAX = 10_000;
/** Keys that the bucket deletes at once (R2, "delete"). */
const FILES_MAX = 1_000;

/** Deletes one item with its files, or all of them. */
export function emptyOutbox(ctx: Context, key?: number): Promise<void> {
  return remove(ctx, key === undefined ? undefined : eq(outboxItems.key, key));
}

/** Cron task: deletes what is old. Does nothing in a deployment. */
export async function purgeOutbox(ctx: Context): Promise<void> {
  if (!hasOutbox(ctx.env)) return;
  const before = Date.now() - RETENTION_DAYS * 24 * 60 * 60_000;
  const newest = sql`(select max(key) from ${outboxItems})`;
  await remove(ctx, or(lt(outboxItems.createdAt, before), sql`${outboxItems.key} <= ${newest} - ${ITEMS_MAX}`));
}

async function remove(ctx: Context, condition: SQL | undefined): Promise<void> {
  const removed = await ctx.db.delete(outboxItems).where(condition).returning({ files: outboxItems.files });
  const keys = removed.flatMap(({ files }) => files.map(({ key }) => key));
  for (let at = 0; at < keys.length; at += FILES_MAX) await ctx.env.FILES.delete(keys.slice(at, at + FILES_MAX));
}
