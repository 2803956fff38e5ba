import { eq } from 'drizzle-orm';
import type { Context } from '../../context.ts';
import { searchReindex } from '../table.ts';
import { reindexPasses } from './reindex-passes.ts';

/**
 * Goes on indexing the stored passes anew where an upgrade asked for it, a few thousand passes a call; reads one row
 * otherwise. Two at once do the same work twice, which harms nothing.
 */
export async function resumeReindex(ctx: Context): Promise<void> {
  const [open] = await ctx.db.select().from(searchReindex).limit(1);
  if (!open) return;
  const { next } = await reindexPasses(ctx, { afterKey: open.afterKey });
  const mine = eq(searchReindex.afterKey, open.afterKey);
  if (next === null) await ctx.db.delete(searchReindex).where(mine);
  else await ctx.db.update(searchReindex).set({ afterKey: next }).where(mine);
}
