import { lte, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { PAGE_ROWS, runInPages } from '../purge.ts';
import { earlierPendingPushes, pendingPushes } from './table.ts';

/**
 * Cron task: moves unsent pushes of releases before 0.2.0 to where `resumePushes` finds them. If the same push was
 * requested again since, the texts and facts of both are kept.
 */
export async function movePushes(ctx: Context, now = Date.now()): Promise<void> {
  const isDue = lte(earlierPendingPushes.dueAt, now);
  const page = sql`rowid in (select rowid from ${earlierPendingPushes} where ${isDue} limit ${PAGE_ROWS})`;
  const move = ctx.db.insert(pendingPushes).select(ctx.db.select().from(earlierPendingPushes).where(page));
  const unite = move.onConflictDoUpdate({
    target: [pendingPushes.passId, pendingPushes.wallet],
    set: {
      text: sql`coalesce(${pendingPushes.text}, excluded.text)`,
      claim: null,
      facts: sql`coalesce(excluded.facts || ',' || ${pendingPushes.facts}, ${pendingPushes.facts}, excluded.facts)`,
    },
  });
  await runInPages(
    async () => (await ctx.db.batch([unite, ctx.db.delete(earlierPendingPushes).where(page)]))[1].meta.changes,
    { enough: PAGE_ROWS },
  );
}
