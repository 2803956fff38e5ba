import { sql } from 'drizzle-orm';
import type { Context } from '../../context.ts';
import { isOwnPass } from '../own-pass.ts';
import { type Pass, passes } from '../table.ts';

/** Counts another print version of a pass. The pass itself doesn't change: no new version, no event. */
export async function countPrint(ctx: Context, { id, accountId }: Pick<Pass, 'id' | 'accountId'>): Promise<void> {
  await ctx.db
    .update(passes)
    .set({ numberOfPrinted: sql`${passes.numberOfPrinted} + 1` })
    .where(isOwnPass(accountId, id));
}
